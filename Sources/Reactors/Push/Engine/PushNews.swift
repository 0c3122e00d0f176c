import EventSourcing
import Foundation
import Messaging
import Postgres

/// What some events of the log mean for the outbox of push notifications.
struct PushNews {
    private(set) var messages: [(conversation: UUID, at: Date, sent: MessageSent)] = []
    private(set) var marks: [(conversation: UUID, person: UUID, readSeq: Int64)] = []
    private(set) var deletions: [(conversation: UUID, seq: Int64)] = []

    init(_ events: [RecordedEvent]) {
        for event in events {
            guard case .event(let body as ConversationEvent) = event.body else { continue }
            let conversation = event.stream.id
            switch body {
            case .messageSent(let sent): messages.append((conversation, event.recordedAt, sent))
            case .receiptsAdvanced(let advanced):
                marks += advanced.marks.map { (conversation, $0.person, $0.readSeq) }
            case .messageDeleted(let deleted): deletions.append((conversation, deleted.seq))
            default: continue
            }
        }
    }

    /// One row for each device and conversation, whatever was said: the members' devices, but for the senders', those who mute
    /// the conversation or want no such message, and those who block the sender.
    ///
    /// Rows in their order: whoever else writes several of them does so in the same one.
    func insertion(for platforms: [PushPlatform]) -> SQL {
        let mentions = messages.flatMap { message in message.sent.mentions.map { (message.sent.messageID, $0) } }
        return """
            WITH sent AS (
                SELECT * FROM unnest(
                    \(messages.map(\.conversation)), \(messages.map(\.sent.messageID)), \(messages.map(\.sent.sender)),
                    \(messages.map(\.sent.seq)), \(messages.map(\.at)), \(messages.map(\.sent.mentionsAll))
                ) AS s (conversation, message, sender, seq, at, mentions_all)
            ), mentioned AS (
                SELECT * FROM unnest(\(mentions.map(\.0)), \(mentions.map(\.1))) AS x (message, person)
            ), reached AS MATERIALIZED (
                SELECT m.conversation_id, m.user_id, m.from_seq, m.notification_level, d.device_id, d.platform, d.origin,
                    d.active_at
                FROM (SELECT DISTINCT conversation FROM sent) c
                JOIN read_live.memberships m ON m.conversation_id = c.conversation AND m.to_position IS NULL
                    AND (m.muted_until IS NULL OR m.muted_until <= now())
                    AND m.notification_level IS DISTINCT FROM 'none'
                JOIN parley.devices d ON d.person_id = m.user_id AND d.platform = ANY (\(platforms.map(\.rawValue)))
            )
            INSERT INTO parley.push_notifications AS n (
                conversation_id, person_id, device_id, platform, origin, due_at, newest_at, from_seq, seq, pending,
                message_id, sender_id)
            SELECT r.conversation_id, r.user_id, r.device_id, r.platform, r.origin,
                now() + CASE WHEN r.active_at > now() - \(PushReactor.activityWindow.interval) THEN \(PushReactor.hold.interval)
                    ELSE '0' END,
                max(s.at), min(s.seq), max(s.seq), count(*),
                (array_agg(s.message ORDER BY s.seq DESC))[1], (array_agg(s.sender ORDER BY s.seq DESC))[1]
            FROM sent s
            JOIN reached r ON r.conversation_id = s.conversation AND r.user_id <> s.sender AND r.from_seq < s.seq
            WHERE (r.notification_level IS DISTINCT FROM 'mentions' OR s.mentions_all OR EXISTS (
                    SELECT FROM mentioned x WHERE x.message = s.message AND x.person = r.user_id))
                AND NOT EXISTS (
                    SELECT FROM read_live.blocks b
                    WHERE b.user_id = r.user_id AND b.blocked_id = s.sender AND b.blocked_at IS NOT NULL)
            GROUP BY r.conversation_id, r.user_id, r.device_id, r.platform, r.origin, r.active_at
            ORDER BY r.conversation_id, r.user_id, r.device_id
            ON CONFLICT (conversation_id, person_id, device_id) DO UPDATE SET
                from_seq = CASE WHEN n.pending = 0 THEN excluded.from_seq ELSE n.from_seq END,
                seq = excluded.seq, newest_at = excluded.newest_at, pending = n.pending + excluded.pending,
                message_id = excluded.message_id, sender_id = excluded.sender_id,
                -- What is under way, or waits for its next try, stays so; else one summary in ten seconds.
                due_at = coalesce(n.due_at, greatest(
                    excluded.due_at, n.sent_at + \(PushJob.pause.interval)))
            """
    }

    /// What a device shows, and was read elsewhere, is to be taken away. While somebody works on the row, that is found when
    /// it is given back.
    var readElsewhere: SQL {
        """
        UPDATE parley.push_notifications n SET read_seq = x.seq,
            due_at = CASE WHEN n.shown_seq <= x.seq THEN coalesce(n.due_at, now()) ELSE n.due_at END
        FROM (
            SELECT x.conversation_id, x.person_id, x.device_id, r.seq
            FROM (
                SELECT r.conversation, r.person, max(r.seq) AS seq
                FROM unnest(\(marks.map(\.conversation)), \(marks.map(\.person)), \(marks.map(\.readSeq)))
                    AS r (conversation, person, seq)
                GROUP BY r.conversation, r.person
            ) r
            JOIN parley.push_notifications x ON x.conversation_id = r.conversation AND x.person_id = r.person
                AND x.read_seq < r.seq
            ORDER BY x.conversation_id, x.person_id, x.device_id
            FOR UPDATE OF x
        ) x
        WHERE n.conversation_id = x.conversation_id AND n.person_id = x.person_id AND n.device_id = x.device_id
        """
    }

    /// The same for what its sender has deleted.
    var takenBack: SQL {
        """
        UPDATE parley.push_notifications n SET due_at = now()
        FROM (
            SELECT x.conversation_id, x.person_id, x.device_id
            FROM unnest(\(deletions.map(\.conversation)), \(deletions.map(\.seq))) AS r (conversation, seq)
            JOIN parley.push_notifications x ON x.conversation_id = r.conversation AND x.shown_seq = r.seq
                AND x.due_at IS NULL
            ORDER BY x.conversation_id, x.person_id, x.device_id
            FOR UPDATE OF x
        ) x
        WHERE n.conversation_id = x.conversation_id AND n.person_id = x.person_id AND n.device_id = x.device_id
        """
    }
}

extension Duration {
    /// As PostgreSQL's interval.
    var interval: SQL { "make_interval(secs => \(self / .seconds(1)))" }
}
