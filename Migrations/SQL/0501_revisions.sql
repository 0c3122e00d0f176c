-- schema: read model
-- The position of what last changed a conversation, and of what last changed a membership: clients tell older answers from
-- newer events by them. Owner: parley_owner; filled by the projection `conversation-list`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

ALTER TABLE conversations ADD COLUMN revision bigint NOT NULL DEFAULT 0;
-- Null where it is still what it was at joining.
ALTER TABLE memberships ADD COLUMN changed_position bigint;

RESET ROLE;

-- As if the projection had always filled them. Tables that a rebuild has just made hold nothing yet.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM checkpoints c WHERE c.position > 0) THEN
        RETURN;
    END IF;
    UPDATE conversations c SET revision = e.position
    FROM (
        SELECT e.partition, e.stream_id, max(e.position) AS position
        FROM parley.events e
        WHERE e.category = 'conversation'
            AND e.type IN (
                'conversationStarted', 'groupChanged', 'permissionsChanged', 'retentionChanged', 'slowModeChanged',
                'memberErased')
        GROUP BY e.partition, e.stream_id
    ) e
    WHERE e.partition = c.partition AND e.stream_id = c.conversation_id;
    UPDATE memberships m SET changed_position = e.position
    FROM (
        SELECT m.conversation_id, m.user_id, m.from_position, max(e.position) AS position
        FROM memberships m
        JOIN parley.events e ON e.partition = m.partition AND e.category = 'conversation' AND e.type = 'roleChanged'
            AND e.stream_id = m.conversation_id AND e.subject = m.user_id AND e.position > m.from_position
            AND (m.to_position IS NULL OR e.position < m.to_position)
        GROUP BY m.conversation_id, m.user_id, m.from_position
    ) e
    WHERE m.conversation_id = e.conversation_id AND m.user_id = e.user_id AND m.from_position = e.from_position;
END
$$;
