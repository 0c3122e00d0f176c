-- schema: read model
-- What a member has made of the own view of a conversation. Owner: parley_owner; filled by the projection
-- `conversation-list`.
--
-- In the row of the membership, all null for nearly everybody: a view ends with the membership, lists read the row anyway,
-- and a message writes none of it. Whether a newer message has undone something follows from comparing numbers.
SET LOCAL ROLE parley_owner;

ALTER TABLE memberships
    ADD COLUMN muted_until timestamptz,
    -- Null for all.
    ADD COLUMN notification_level text,
    -- The newest message when it was archived: a newer one takes it out, unless it came while muted.
    ADD COLUMN archived_seq bigint,
    ADD COLUMN pinned_at timestamptz,
    -- The newest message when it was cleared from the list: a newer one brings it back.
    ADD COLUMN cleared_seq bigint,
    -- Marked unread for as long as the member's mark is no further.
    ADD COLUMN unread_after bigint;

-- Which of a person's unread messages totals leave out: few, whatever the number of conversations.
CREATE INDEX memberships_uncounted_idx ON memberships (user_id, conversation_id)
    WHERE to_position IS NULL AND (muted_until IS NOT NULL OR cleared_seq IS NOT NULL);

RESET ROLE;
