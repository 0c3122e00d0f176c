-- schema: read model
-- The files of messages. Owner: parley_owner; filled by the projection `messages`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- What is told of them, as JSON; null for nearly all, and once the message is deleted or its sender erased. No event of older
-- programs says so: rows that are there are complete.
ALTER TABLE messages ADD COLUMN attachments text;

RESET ROLE;
