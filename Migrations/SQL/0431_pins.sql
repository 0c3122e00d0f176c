-- schema: read model
-- Which messages are pinned for all. Owner: parley_owner; filled by the projection `messages`.
--
-- In the row of the message, all null for nearly everyone: a pin ends with its message.
SET LOCAL ROLE parley_owner;

ALTER TABLE messages
    ADD COLUMN pinned_at timestamptz,
    ADD COLUMN pinned_by uuid,
    -- Where the log has the pin: the order of the pins of a conversation.
    ADD COLUMN pinned_position bigint;

-- The pins of a conversation, 50 at the most, without its history.
CREATE INDEX messages_pinned_idx ON messages (conversation_id, pinned_position) WHERE pinned_position IS NOT NULL;

RESET ROLE;
