-- schema: read model
-- Which messages people have deleted for themselves. Owner: parley_owner; filled by the projection `hidden-messages`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

CREATE TABLE hidden_messages (
    seq bigint NOT NULL,
    -- Where the log has it, in its conversation's partition.
    position bigint NOT NULL,
    hidden_at timestamptz NOT NULL,
    partition int NOT NULL,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- Begins with the person and the conversation: a page of a history asks for those between two messages.
    CONSTRAINT hidden_messages_pkey PRIMARY KEY (user_id, conversation_id, seq, partition)
);

-- Who has hidden one message: asked for every change of it that open streams are told of.
CREATE INDEX hidden_messages_message_idx ON hidden_messages (conversation_id, seq);

-- No event of older programs makes such rows: a table that is there is complete.
INSERT INTO projections (name, version)
SELECT 'hidden-messages', 1 WHERE EXISTS (SELECT FROM checkpoints c WHERE c.position > 0);

GRANT SELECT, INSERT, UPDATE, DELETE ON hidden_messages TO parley_server;

-- The newest message that the person has hidden, in the person's newest span: lists show the last message, so they need
-- no other table. Null for nearly everyone.
ALTER TABLE memberships
    ADD COLUMN hidden_seq bigint,
    ADD COLUMN hidden_at timestamptz;

RESET ROLE;
