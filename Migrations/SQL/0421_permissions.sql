-- schema: read model
-- Who may do what in a group. Owner: parley_owner; filled by the projection `conversation-list`.
--
-- Null where nothing was chosen: nearly everywhere, and in a row that each message writes anew.
SET LOCAL ROLE parley_owner;

ALTER TABLE conversations
    ADD COLUMN send_by text,
    ADD COLUMN add_members_by text,
    ADD COLUMN change_info_by text,
    ADD COLUMN pin_by text;

RESET ROLE;
