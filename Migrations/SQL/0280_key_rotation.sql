-- Changing the key that signs access tokens. Owner: parley_owner.

SET LOCAL ROLE parley_owner;

-- From then on it signs, until the next one does: a key lies here for some minutes first, so that all servers know it
-- before they see a token of it. By the servers' clocks, as the next column.
ALTER TABLE parley.signing_keys ADD COLUMN activates_at timestamptz;
UPDATE parley.signing_keys SET activates_at = created_at;
ALTER TABLE parley.signing_keys ALTER COLUMN activates_at SET NOT NULL;
-- Until then its tokens are good; NULL for the newest key. Deleted afterwards.
ALTER TABLE parley.signing_keys ADD COLUMN verifies_until timestamptz;
UPDATE parley.signing_keys SET verifies_until = retired_at + interval '1 day' WHERE retired_at IS NOT NULL;
-- Who adds a key locks the table, which settles what this index did.
DROP INDEX parley.signing_keys_one_signs;
ALTER TABLE parley.signing_keys DROP COLUMN retired_at;

GRANT UPDATE (verifies_until) ON parley.signing_keys TO parley_server;
GRANT DELETE ON parley.signing_keys TO parley_server;

RESET ROLE;
