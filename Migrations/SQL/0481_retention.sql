-- schema: read model
-- For how long messages stay. Owner: parley_owner; filled by the projections `conversation-list` and `messages`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- In seconds; null for ever, as nearly everywhere. No event of older programs says so: rows that are there are complete.
ALTER TABLE conversations ADD COLUMN retention int;

-- When a message's time is over; null for never, and once it is gone.
ALTER TABLE messages ADD COLUMN expires_at timestamptz;

-- What is due to go. Messages that stay cost it nothing.
CREATE INDEX messages_expiry_idx ON messages (expires_at, conversation_id, seq) WHERE expires_at IS NOT NULL;

RESET ROLE;
