-- schema: read model
-- Whose membership has ended since an event that is told late. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- Asked for each event that is told as things are now, and nearly always nobody: a group of 10,000 is not looked through.
CREATE INDEX memberships_ended_idx ON memberships (conversation_id, to_position) WHERE to_position IS NOT NULL;

RESET ROLE;
