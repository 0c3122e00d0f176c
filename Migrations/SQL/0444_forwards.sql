-- schema: read model
-- How often messages were passed on on their way. Owner: parley_owner; filled by the projection `messages`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- Null for nearly all. No event of older programs says so: rows that are there are complete.
ALTER TABLE messages ADD COLUMN forward_hops int;

RESET ROLE;
