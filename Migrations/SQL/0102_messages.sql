-- schema: read model
-- The history of conversations. Owner: parley_owner; filled by the projection `messages`.
SET LOCAL ROLE parley_owner;

CREATE TABLE messages (
    seq bigint NOT NULL,
    -- Where the log has the message, in its conversation's partition.
    position bigint NOT NULL,
    sent_at timestamptz NOT NULL,
    client_timestamp timestamptz,
    reply_to_seq bigint,
    recipient_count int NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    sender_id uuid NOT NULL,
    reply_to_id uuid,
    kind text NOT NULL,
    -- Null once the sender is erased.
    text text,
    mentions uuid[],
    -- The order of a history: pages, the newest message, unread messages.
    CONSTRAINT messages_pkey PRIMARY KEY (conversation_id, seq),
    -- One message by the id that its client made, which is unique in its conversation only. The message first: an index
    -- that began with the conversation would tempt the planner to use it for a history.
    CONSTRAINT messages_id_key UNIQUE (message_id, conversation_id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON messages TO parley_server;

RESET ROLE;
