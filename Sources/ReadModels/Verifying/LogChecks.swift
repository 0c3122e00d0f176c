import Postgres

/// What holds in every log.
enum LogChecks {
    static let all = [positions, versions, commands, checkpoints, messages, lastPositions]

    private static let positions = Check(
        rule: "positions run 1, 2, 3, … in every partition",
        violations: """
            SELECT 'partition ' || e.partition AS subject FROM parley.events e
            GROUP BY e.partition
            HAVING min(e.position) <> 1 OR max(e.position) <> count(*)
            """
    )

    private static let versions = Check(
        rule: "versions run 1, 2, 3, … in every stream, in the order of positions",
        violations: """
            SELECT DISTINCT x.category || '-' || x.stream_id AS subject
            FROM (
                SELECT e.category, e.stream_id, e.version, row_number() OVER (
                    PARTITION BY e.stream_id, e.category ORDER BY e.position) AS n
                FROM parley.events e
            ) x
            WHERE x.version <> x.n
            """
    )

    private static let commands = Check(
        rule: "a command appends to a stream once",
        violations: """
            SELECT e.category || '-' || e.stream_id AS subject FROM parley.events e
            WHERE e.ordinal = 0
            GROUP BY e.category, e.stream_id, e.command_id
            HAVING count(*) > 1
            """
    )

    private static let checkpoints = Check(
        rule: "the read models are not ahead of the log",
        violations: """
            SELECT 'partition ' || c.partition AS subject FROM read_live.checkpoints c
            WHERE c.position > coalesce((
                SELECT max(e.position) FROM parley.events e WHERE e.partition = c.partition), 0)
            """
    )

    private static let messages = Check(
        rule: "every message of the log is in the read model, where the log has it",
        violations: """
            SELECT coalesce(m.conversation_id, e.stream_id) AS subject
            FROM (
                SELECT e.stream_id, e.position, e.command_id, e.actor, (e.payload->>'seq')::bigint AS seq
                FROM parley.events e
                JOIN read_live.checkpoints c ON c.partition = e.partition AND c.position >= e.position
                WHERE e.category = 'conversation' AND e.type IN ('messageSent', 'messageForwarded', 'limitedMessageSent', 'attachmentsSent')
                    AND NOT EXISTS (
                    SELECT FROM parley.skipped_events s
                    WHERE s.partition = e.partition AND s.position = e.position AND s.projection = 'messages')
            ) e
            FULL JOIN read_live.messages m ON m.conversation_id = e.stream_id AND m.position = e.position
            WHERE e.command_id IS DISTINCT FROM m.message_id OR e.actor IS DISTINCT FROM m.sender_id
                OR e.seq IS DISTINCT FROM m.seq
            """
    )

    private static let lastPositions = Check(
        rule: "every conversation and person knows its newest event",
        violations: """
            SELECT coalesce(e.stream_id, r.id) AS subject
            FROM (
                SELECT e.stream_id, e.partition, max(e.position) AS position FROM parley.events e
                JOIN read_live.checkpoints c ON c.partition = e.partition AND c.position >= e.position
                WHERE e.category IN ('conversation', 'receipts', 'views', 'user')
                GROUP BY e.stream_id, e.partition
                -- Of two people of whom one has blocked the other, and who have said nothing, there is no conversation: not when
                -- one of them is erased, either.
                HAVING bool_or(e.type NOT IN ('blockChanged', 'memberErased'))
            ) e
            FULL JOIN (
                SELECT c.conversation_id AS id, c.partition, c.last_position AS position FROM read_live.conversations c
                UNION ALL
                SELECT u.user_id, u.partition, u.changed_position FROM read_live.users u
            ) r ON r.id = e.stream_id AND r.partition = e.partition
            WHERE e.position IS DISTINCT FROM r.position
            """
    )
}
