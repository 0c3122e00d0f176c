-- schema: read model
-- How often the members of a group may send. Owner: parley_owner; filled by the projection `conversation-list`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- The seconds between two messages; null for no limit. No event of older programs says so: rows that are there are complete.
ALTER TABLE conversations ADD COLUMN slow_mode int;

RESET ROLE;
