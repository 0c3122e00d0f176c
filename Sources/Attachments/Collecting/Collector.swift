import CoreMetrics
import EventSourcing
package import EventStore
package import Foundation
package import Logging
import Messaging
import Postgres
import ServiceLifecycle
import Synchronization

/// Has files go that belong to nothing any more: soon where a deletion passes by, and all others in rounds.
///
/// Nothing is taken that is being attached: who attaches enters that first, and both lock the file's row before they look.
package final class Collector: Service {
    private static let pause: Duration = .seconds(5)
    /// Between two looks at everything.
    private static let round: Duration = .seconds(600)
    static let page = 100

    let attachments: Attachments
    private let eventStore: EventStore
    private let logger: Logger
    /// Messages that were deleted, by the feed.
    private let deleted = Mutex<[AttachmentUses.Use]>([])

    package init(attachments: Attachments, eventStore: EventStore, logger: Logger) {
        self.attachments = attachments
        self.eventStore = eventStore
        self.logger = logger
        eventStore.feed.onEvents { [weak self] events in
            for event in events where event.stream.category == .conversation {
                guard case .event(let body as ConversationEvent) = event.body, case .messageDeleted(let gone) = body
                else {
                    continue
                }
                self?.note(gone.messageID, in: event.stream.id)
            }
        }
    }

    private func note(_ message: UUID, in conversation: UUID) {
        deleted.withLock { deleted in
            // More than this the next round finds.
            if deleted.count < 10_000 { deleted.append(.init(conversation: conversation, message: message)) }
        }
    }

    /// Works until cancelled or shut down gracefully.
    package func run() async {
        await attachments.prepare()
        await cancelWhenGracefulShutdown { [self] in
            var isFailing = false
            var last: ContinuousClock.Instant?
            while !Task.isCancelled {
                let isRoundDue = last.map { ContinuousClock.now - $0 > Self.round } ?? true
                let failed = await pass(roundAt: isRoundDue ? Date() : nil)
                if isRoundDue, !failed.contains(.looking) { last = .now }
                if !failed.isEmpty {
                    AttachmentMetrics.collectorFailures.increment()
                    if !isFailing, !Task.isCancelled {
                        logger.warning("Files that are gone could not be removed; it is tried again")
                    }
                }
                isFailing = !failed.isEmpty
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: Self.pause)
            }
        }
        await attachments.close()
    }

    package enum Step: Sendable {
        case removing, looking
    }

    /// Does what there is to do. What is gone already goes first, and whatever becomes of the rest: a look that fails keeps no
    /// bytes on the disk.
    ///
    /// - Parameter round: when everything is looked at, too; nil where it is not.
    /// - Returns: what could not be done.
    package func pass(roundAt round: Date?) async -> Set<Step> {
        var failed: Set<Step> = []
        do {
            try await removeBytes()
        } catch {
            failed.insert(.removing)
        }
        do {
            try await collectDeleted()
            if let round { try await collectRound(at: round) }
        } catch {
            failed.insert(.looking)
        }
        return failed
    }

    /// What belonged to messages that were deleted since the last look.
    package func collectDeleted() async throws {
        let gone = deleted.withLock { deleted in
            defer { deleted = [] }
            return deleted
        }
        for (place, use) in gone.enumerated() {
            do {
                try await attachments.uses.release(use)
            } catch {
                deleted.withLock { $0 += gone[place...] }
                throw error
            }
        }
    }

    /// Looks at everything.
    package func collectRound(at now: Date) async throws {
        try await collectForgotten()
        try await collectUnsent(at: now)
        try await collectPictures(at: now)
        try await collectUnattached(at: now)
        try await collectUploads(at: now)
    }

    var pool: PostgresPool { attachments.rows.pool }

    /// Messages whose deletion nobody saw pass by.
    private func collectForgotten() async throws {
        var last: AttachmentUses.Use?
        while true {
            let rows = try await pool.query(
                """
                SELECT u.conversation_id, u.message_id, m.deleted_at IS NOT NULL AS is_deleted
                FROM parley.attachment_uses u
                LEFT JOIN read_live.messages m ON m.message_id = u.message_id AND m.conversation_id = u.conversation_id
                WHERE \(last == nil) OR (u.message_id, u.conversation_id)
                    > (\(last?.message)::uuid, \(last?.conversation)::uuid)
                ORDER BY u.message_id, u.conversation_id LIMIT 1000
                """
            )
            guard let end = rows.last else { return }
            for row in rows where try row.decode("is_deleted", as: Bool.self) {
                try await attachments.uses.release(try Self.use(row))
            }
            last = try Self.use(end)
        }
    }

    private static func use(_ row: Row) throws -> AttachmentUses.Use {
        .init(conversation: try row.decode("conversation_id"), message: try row.decode("message_id"))
    }

    /// What was entered for messages that were never sent, a day ago: neither the log has them, nor are they to be sent later.
    private func collectUnsent(at now: Date) async throws {
        let limit = now.addingTimeInterval(-attachments.limits.unattached.seconds)
        let rows = try await pool.query(
            """
            SELECT DISTINCT u.conversation_id, u.message_id FROM parley.attachment_uses u
            WHERE u.used_at < \(limit)
                AND NOT EXISTS (
                    SELECT FROM read_live.messages m
                    WHERE m.message_id = u.message_id AND m.conversation_id = u.conversation_id)
                AND NOT EXISTS (
                    SELECT FROM parley.scheduled_messages s
                    WHERE s.author_id = u.sender_id AND s.message_id = u.message_id)
            LIMIT \(Self.page)
            """
        )
        for row in rows {
            let use = try Self.use(row)
            // Read models may stand still; the log says what was sent.
            guard try await eventStore.log.event(of: use.message, in: .init(.conversation, use.conversation)) == nil
            else {
                continue
            }
            // It may be sent by now: whoever does so has entered them anew before.
            try await attachments.uses.release(use, usedBefore: limit)
        }
    }

    /// Pictures that were replaced, or never became any; only by read models that show all of the log, or a picture that they do
    /// not show yet would go.
    private func collectPictures(at now: Date) async throws {
        guard try await isLogShown() else { return }
        let limit = now.addingTimeInterval(-3_600)
        let rows = try await pool.query(
            """
            SELECT p.subject_id, p.attachment_id FROM parley.pictures p
            LEFT JOIN read_live.users u ON NOT p.is_group AND u.user_id = p.subject_id
            LEFT JOIN read_live.conversations c ON p.is_group AND c.conversation_id = p.subject_id
            WHERE p.used_at < \(limit)
                AND strpos(coalesce(u.photo_url, c.group_icon, ''), p.attachment_id::text) = 0
                AND NOT EXISTS (SELECT FROM read_live.parked k WHERE k.stream_id = p.subject_id)
            LIMIT \(Self.page)
            """
        )
        for row in rows {
            try await attachments.uses.releasePictures(
                [try row.decode("attachment_id")],
                of: try row.decode("subject_id"),
                usedBefore: limit
            )
        }
    }

    private func isLogShown() async throws -> Bool {
        let heads = try await eventStore.log.heads()
        var shown = [Int64](repeating: 0, count: heads.count)
        for row in try await pool.query("SELECT c.partition, c.position FROM read_live.checkpoints c") {
            let partition = Int(try row.decode("partition", as: Int32.self))
            guard shown.indices.contains(partition) else { continue }
            shown[partition] = max(shown[partition], try row.decode("position"))
        }
        return zip(shown, heads).allSatisfy { $0 >= $1 }
    }

    private func collectUnattached(at now: Date) async throws {
        let limit = now.addingTimeInterval(-attachments.limits.unattached.seconds)
        var isMore = true
        while isMore {
            let found: [UUID] = try await pool.query(
                """
                SELECT a.attachment_id FROM parley.attachments a
                WHERE a.removed_at IS NULL AND a.touched_at < \(limit)
                    AND NOT EXISTS (SELECT FROM parley.attachment_uses u WHERE u.attachment_id = a.attachment_id)
                    AND NOT EXISTS (SELECT FROM parley.pictures p WHERE p.attachment_id = a.attachment_id)
                ORDER BY a.touched_at LIMIT \(Self.page)
                """
            ).map { try $0.decode("attachment_id") }
            try await pool.withTransaction { connection in
                // What came first may have changed by now.
                let files = try await AttachmentRows.lock(
                    "a.attachment_id = ANY (\(found)) AND a.touched_at < \(limit)",
                    on: connection
                )
                try await connection.execute(AttachmentRows.removal(of: files))
            }
            isMore = found.count == Self.page
        }
    }
}

extension Duration {
    var seconds: TimeInterval { TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18 }
}
