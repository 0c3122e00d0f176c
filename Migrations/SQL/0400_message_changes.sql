-- schema: read model
-- What becomes of messages: edits, deletions, reactions. Owner: parley_owner; filled by the projections `messages`,
-- `reactions` and `unread-counts`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

ALTER TABLE messages
    ADD COLUMN edited_at timestamptz,
    -- The row of a deleted message stays, without its content.
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN deleted_by uuid,
    -- The position of the newest event that changed what the message shows; null where that is the message's own.
    ADD COLUMN changed_position bigint,
    -- Whether `reactions` may have rows of the message.
    ADD COLUMN has_reactions boolean NOT NULL DEFAULT false;

-- What messages said before they were edited; gone with the message.
CREATE TABLE message_versions (
    seq bigint NOT NULL,
    -- The edit that put another text in its place.
    replaced_position bigint NOT NULL,
    -- When it was sent, or made by an edit before.
    at timestamptz NOT NULL,
    partition int NOT NULL,
    conversation_id uuid NOT NULL,
    -- Null once the author is erased.
    text text,
    CONSTRAINT message_versions_pkey PRIMARY KEY (conversation_id, seq, replaced_position, partition)
);

CREATE TABLE reactions (
    seq bigint NOT NULL,
    -- Where the log has the reaction: the order of those who gave it.
    position bigint NOT NULL,
    partition int NOT NULL,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    emoji text COLLATE "C" NOT NULL,
    CONSTRAINT reactions_pkey PRIMARY KEY (conversation_id, seq, emoji, user_id, partition)
);

-- What goes with an erased person.
CREATE INDEX reactions_user_idx ON reactions (user_id, conversation_id);

-- Messages that nobody need read any more: sparse, so that a deletion changes no member's count.
CREATE TABLE deleted_messages (
    seq bigint NOT NULL,
    partition int NOT NULL,
    conversation_id uuid NOT NULL,
    sender_id uuid NOT NULL,
    CONSTRAINT deleted_messages_pkey PRIMARY KEY (conversation_id, seq, partition)
);

-- No event of older programs makes such rows: tables that are there are complete.
INSERT INTO projections (name, version)
SELECT 'reactions', 1 WHERE EXISTS (SELECT FROM checkpoints c WHERE c.position > 0);

GRANT SELECT, INSERT, UPDATE, DELETE ON message_versions, reactions, deleted_messages TO parley_server;

RESET ROLE;
