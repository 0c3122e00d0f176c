import EventStore
package import Foundation
import Messaging
import Postgres

/// Which messages have which files: entered before a message is sent, so that nothing is collected that is about to be sent.
package struct AttachmentUses: Sendable {
    let rows: AttachmentRows

    var pool: PostgresPool { rows.pool }

    /// A message, by its ids.
    package struct Use: Sendable, Hashable {
        package let conversation: UUID
        package let message: UUID

        package init(conversation: UUID, message: UUID) {
            self.conversation = conversation
            self.message = message
        }
    }

    /// Enters files of a person's for a message of the person's: those that are complete, and in no other message. Either all
    /// are entered or none.
    ///
    /// - Returns: the files in the order of `ids`, those that cannot be entered left out.
    func claim(_ ids: [UUID], of owner: UUID, for use: Use) async throws -> [StoredAttachment] {
        let found = try await pool.withTransaction { connection in
            // So that whoever collects or enters them, too, comes before or after.
            let files = try await AttachmentRows.lock(
                """
                a.attachment_id = ANY (\(ids)) AND a.owner_id = \(owner) AND a.completed_at IS NOT NULL
                    AND a.removed_at IS NULL
                """,
                on: connection
            )
            let free = try await connection.query(
                """
                SELECT \(StoredAttachment.columns) FROM parley.attachments a
                WHERE a.attachment_id = ANY (\(files)) AND (
                    EXISTS (
                        SELECT FROM parley.attachment_uses u
                        WHERE u.attachment_id = a.attachment_id AND u.message_id = \(use.message)
                            AND u.conversation_id = \(use.conversation))
                    OR (NOT EXISTS (SELECT FROM parley.attachment_uses u WHERE u.attachment_id = a.attachment_id)
                        AND NOT EXISTS (SELECT FROM parley.pictures p WHERE p.attachment_id = a.attachment_id)))
                """
            )
            if free.count == Set(ids).count {
                try await connection.execute(Self.entering(files, for: use, by: owner))
            }
            return free
        }
        let files = try await rows.opened(found)
        return ids.compactMap { id in files.first { $0.id == id } }
    }

    /// Enters files of anybody's for a message that passes them on.
    ///
    /// - Returns: those that are still there.
    func share(_ ids: [UUID], by sender: UUID, for use: Use) async throws -> Set<UUID> {
        guard !ids.isEmpty else { return [] }
        return try await pool.withTransaction { connection in
            let files = try await AttachmentRows.lock(
                "a.attachment_id = ANY (\(ids)) AND a.completed_at IS NOT NULL AND a.removed_at IS NULL",
                on: connection
            )
            try await connection.execute(Self.entering(files, for: use, by: sender))
            return Set(files)
        }
    }

    /// What is entered again is as new: it is about to be sent again, by a commit that waits for this one's, too.
    private static func entering(_ files: [UUID], for use: Use, by sender: UUID) -> SQL {
        """
        WITH \(AttachmentRows.withoutWaiting)
        INSERT INTO parley.attachment_uses (attachment_id, conversation_id, message_id, sender_id)
        SELECT f.attachment_id, \(use.conversation), \(use.message), \(sender)
        FROM unnest(\(files)) AS f (attachment_id), without_waiting
        ON CONFLICT (attachment_id, conversation_id, message_id) DO UPDATE SET used_at = now()
        """
    }

    /// Whether a file is in any message, or is a picture.
    func isUsed(_ id: UUID) async throws -> Bool {
        try await !pool.query(
            """
            SELECT FROM parley.attachment_uses u WHERE u.attachment_id = \(id)
            UNION ALL SELECT FROM parley.pictures p WHERE p.attachment_id = \(id) LIMIT 1
            """
        ).isEmpty
    }

    /// The messages through which somebody may have a file: in conversations that the person is or was in, as far as the read
    /// models know, the newest first; and those that the person has sent. What an erased person has sent shows nothing, though the
    /// read models may not know yet.
    func uses(of id: UUID, for person: UUID, limit: Int) async throws -> [Use] {
        let found = try await pool.query(
            """
            SELECT u.conversation_id, u.message_id FROM parley.attachment_uses u
            WHERE u.attachment_id = \(id) AND (u.sender_id = \(person) OR EXISTS (
                SELECT FROM read_live.memberships m
                WHERE m.conversation_id = u.conversation_id AND m.user_id = \(person)))
                AND NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = u.sender_id)
            ORDER BY u.used_at DESC LIMIT \(limit)
            """
        )
        return try found.map {
            Use(conversation: try $0.decode("conversation_id"), message: try $0.decode("message_id"))
        }
    }

    /// As ``uses(of:for:limit:)``, for a conversation that the read models do not know yet.
    func newestUses(of id: UUID, limit: Int) async throws -> [Use] {
        let found = try await pool.query(
            """
            SELECT u.conversation_id, u.message_id FROM parley.attachment_uses u
            WHERE u.attachment_id = \(id) AND NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = u.sender_id)
            ORDER BY u.used_at DESC LIMIT \(limit)
            """
        )
        return try found.map {
            Use(conversation: try $0.decode("conversation_id"), message: try $0.decode("message_id"))
        }
    }

    /// A message is gone, or was never sent: what belongs to nothing else goes.
    ///
    /// - Parameters:
    ///   - some: files that it has not; nil for all.
    ///   - isGone: false where it was never sent: then its files can be sent with another, within the time that new ones have.
    ///   - isScheduledKept: whether those stay of what is scheduled under the message's id.
    ///   - time: what was entered then or since is being sent, and stays.
    func release(
        _ use: Use,
        only some: [UUID]? = nil,
        isGone: Bool = true,
        isScheduledKept: Bool = false,
        usedBefore time: Date = .distantFuture
    ) async throws {
        try await pool.withTransaction { connection in
            let files = try await AttachmentRows.lock(
                """
                a.attachment_id IN (
                    SELECT u.attachment_id FROM parley.attachment_uses u
                    WHERE u.message_id = \(use.message) AND u.conversation_id = \(use.conversation))
                    AND (\(some == nil) OR a.attachment_id = ANY (\(some ?? [])))
                """,
                on: connection
            )
            guard !files.isEmpty else { return }
            let released: [UUID] = try await connection.query(
                """
                DELETE FROM parley.attachment_uses u
                WHERE u.message_id = \(use.message) AND u.conversation_id = \(use.conversation)
                    AND u.attachment_id = ANY (\(files)) AND u.used_at < \(time)
                    AND NOT (\(isScheduledKept) AND EXISTS (
                        SELECT FROM parley.scheduled_messages s
                        WHERE s.author_id = u.sender_id AND s.message_id = u.message_id
                            AND s.conversation_id = u.conversation_id))
                RETURNING u.attachment_id
                """
            ).map { try $0.decode("attachment_id") }
            let change: SQL =
                isGone
                ? AttachmentRows.removal(of: released)
                : "UPDATE parley.attachments a SET touched_at = now() WHERE a.attachment_id = ANY (\(released))"
            try await connection.execute(change)
        }
    }

    // MARK: Erasing

    /// All files of an erased person go, whoever has passed them on, and nothing belongs any more to what the person said.
    func forget(_ person: UUID) async throws {
        try await pool.withTransaction { connection in
            let files = try await AttachmentRows.lock(
                """
                a.attachment_id IN (
                    SELECT o.attachment_id FROM parley.attachments o WHERE o.owner_id = \(person)
                    UNION SELECT u.attachment_id FROM parley.attachment_uses u WHERE u.sender_id = \(person))
                """,
                on: connection
            )
            try await connection.execute("DELETE FROM parley.attachment_uses u WHERE u.sender_id = \(person)")
            try await connection.execute("DELETE FROM parley.pictures p WHERE p.subject_id = \(person)")
            try await connection.execute(
                """
                DELETE FROM parley.held_attachments h USING parley.attachments a
                WHERE a.attachment_id = h.attachment_id AND a.owner_id = \(person)
                """
            )
            try await connection.execute(
                """
                UPDATE parley.attachments a SET removed_at = now()
                WHERE a.owner_id = \(person) AND a.removed_at IS NULL
                """
            )
            try await connection.execute(AttachmentRows.removal(of: files))
        }
    }
}
