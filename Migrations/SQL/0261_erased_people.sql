-- schema: read model
-- What read models show of people who are erased or have closed their account. Owner: parley_owner. In tables that were
-- filled before this file, who gave a group its name and icon is not known: `parley rebuild --all` fills it.
SET LOCAL ROLE parley_owner;

ALTER TABLE conversations
    -- Who chose the name and the icon: they go when that person is erased.
    ADD COLUMN group_name_by uuid,
    ADD COLUMN group_icon_by uuid;

ALTER TABLE users
    -- Nothing but the id and the time of registering is left.
    ADD COLUMN erased boolean NOT NULL DEFAULT false,
    -- Left out of the directory.
    ADD COLUMN deactivated boolean NOT NULL DEFAULT false;

RESET ROLE;
