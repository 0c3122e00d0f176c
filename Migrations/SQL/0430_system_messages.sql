-- schema: read model
-- What the histories of groups say by themselves: who came, who left, what was changed. Owner: parley_owner; filled by the
-- projection `system-messages`.
--
-- A table of its own: messages are counted by `seq`, these are not. A history is the two merged.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

CREATE TABLE system_messages (
    -- The message that was the newest then; 0 before the first.
    after_seq bigint NOT NULL,
    -- Where the log has the event, in its conversation's partition.
    position bigint NOT NULL,
    at timestamptz NOT NULL,
    partition int NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    actor_id uuid NOT NULL,
    -- Whom it concerns, the first of them.
    user_ids uuid[] NOT NULL,
    kind text NOT NULL,
    -- Nothing that a person said.
    details jsonb NOT NULL,
    -- What the actor called the group and gave it for an icon; null once the actor is erased.
    group_name text,
    group_icon text,
    -- Their place in a history.
    CONSTRAINT system_messages_pkey PRIMARY KEY (conversation_id, after_seq, position, partition),
    -- One by its id; the message first, as in `messages`.
    CONSTRAINT system_messages_id_key UNIQUE (message_id, conversation_id, partition)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON system_messages TO parley_server;

RESET ROLE;
