import EventStore
package import Foundation
import Messaging
import Postgres

/// Which messages have which files: entered before a message is sent, so that nothing is collected that is about to be sent.
package struct AttachmentUses: Sendable {
    let rows: AttachmentRows

    private var pool: PostgresPool { rows.pool }

    /// A message, by its ids.
    package struct Use: Sendable, Hashable {
        package let conversation: UUID
        package let message: UUID

        package init(conversation: UUID, message: UUID) {
            self.conversation = conversation
            self.message = message
        }
    }

    /// Enters files of a person's for a message of the person's: those that are complete, and in no other message.
    ///
    /// - Returns: the files in the order of `ids`, those that could not be entered left out.
    func claim(_ ids: [UUID], of owner: UUID, for use: Use) async throws -> [StoredAttachment] {
        // Locked, so that whoever collects comes before or after.
        _ = try await pool.execute(
            """
            WITH files AS (
                SELECT a.attachment_id FROM parley.attachments a
                WHERE a.attachment_id = ANY (\(ids)) AND a.owner_id = \(owner) AND a.completed_at IS NOT NULL
                    AND a.removed_at IS NULL
                ORDER BY a.attachment_id FOR UPDATE
            )
            INSERT INTO parley.attachment_uses (attachment_id, conversation_id, message_id, sender_id)
            SELECT f.attachment_id, \(use.conversation), \(use.message), \(owner) FROM files f
            WHERE NOT EXISTS (
                    SELECT FROM parley.attachment_uses u
                    WHERE u.attachment_id = f.attachment_id
                        AND (u.conversation_id <> \(use.conversation) OR u.message_id <> \(use.message)))
                AND NOT EXISTS (SELECT FROM parley.pictures p WHERE p.attachment_id = f.attachment_id)
            ON CONFLICT DO NOTHING
            """
        )
        return try await entered(ids, for: use).filter { $0.owner == owner }
    }

    /// Enters files of anybody's for a message that passes them on.
    ///
    /// - Returns: those that are still there.
    func share(_ ids: [UUID], by sender: UUID, for use: Use) async throws -> Set<UUID> {
        guard !ids.isEmpty else { return [] }
        let found = try await pool.query(
            """
            WITH files AS (
                SELECT a.attachment_id FROM parley.attachments a
                WHERE a.attachment_id = ANY (\(ids)) AND a.completed_at IS NOT NULL AND a.removed_at IS NULL
                ORDER BY a.attachment_id FOR UPDATE
            ), entered AS (
                INSERT INTO parley.attachment_uses (attachment_id, conversation_id, message_id, sender_id)
                SELECT f.attachment_id, \(use.conversation), \(use.message), \(sender) FROM files f
                ON CONFLICT DO NOTHING
            )
            SELECT f.attachment_id FROM files f
            """
        )
        return Set(try found.map { try $0.decode("attachment_id", as: UUID.self) })
    }

    private func entered(_ ids: [UUID], for use: Use) async throws -> [StoredAttachment] {
        let found = try await pool.query(
            """
            SELECT \(StoredAttachment.columns) FROM parley.attachments a
            JOIN parley.attachment_uses u ON u.attachment_id = a.attachment_id
                AND u.conversation_id = \(use.conversation) AND u.message_id = \(use.message)
            WHERE a.attachment_id = ANY (\(ids)) AND a.removed_at IS NULL AND a.completed_at IS NOT NULL
            """
        )
        let files = try await rows.opened(found)
        return ids.compactMap { id in files.first { $0.id == id } }
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
    /// models know, the newest first; and those that the person has sent.
    func uses(of id: UUID, for person: UUID, limit: Int) async throws -> [Use] {
        let found = try await pool.query(
            """
            SELECT u.conversation_id, u.message_id FROM parley.attachment_uses u
            WHERE u.attachment_id = \(id) AND (u.sender_id = \(person) OR EXISTS (
                SELECT FROM read_live.memberships m
                WHERE m.conversation_id = u.conversation_id AND m.user_id = \(person)))
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
            SELECT u.conversation_id, u.message_id FROM parley.attachment_uses u WHERE u.attachment_id = \(id)
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
    ///   - isGone: false where it was never sent: then its files can be sent with another.
    func release(_ use: Use, only some: [UUID]? = nil, isGone: Bool = true) async throws {
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
            try await connection.execute(
                """
                DELETE FROM parley.attachment_uses u
                WHERE u.message_id = \(use.message) AND u.conversation_id = \(use.conversation)
                    AND u.attachment_id = ANY (\(files))
                """
            )
            guard isGone else { return }
            try await connection.execute(AttachmentRows.removal(of: files))
        }
    }

    // MARK: Pictures

    /// Enters an image of a person's as the picture of the person or of a group.
    ///
    /// - Returns: nil where there is no such image of the person's, or it is in a message.
    func claimPicture(_ id: UUID, of owner: UUID, for subject: UUID, isGroup: Bool) async throws -> StoredAttachment? {
        _ = try await pool.execute(
            """
            WITH file AS (
                SELECT a.attachment_id FROM parley.attachments a
                WHERE a.attachment_id = \(id) AND a.owner_id = \(owner) AND a.kind = 'image'
                    AND a.completed_at IS NOT NULL AND a.removed_at IS NULL
                FOR UPDATE
            )
            INSERT INTO parley.pictures (attachment_id, subject_id, is_group)
            SELECT f.attachment_id, \(subject), \(isGroup) FROM file f
            WHERE NOT EXISTS (SELECT FROM parley.attachment_uses u WHERE u.attachment_id = f.attachment_id)
            ON CONFLICT DO NOTHING
            """
        )
        let found = try await pool.query(
            """
            SELECT \(StoredAttachment.columns) FROM parley.attachments a
            JOIN parley.pictures p ON p.attachment_id = a.attachment_id AND p.subject_id = \(subject)
            WHERE a.attachment_id = \(id) AND a.owner_id = \(owner) AND a.removed_at IS NULL
            """
        )
        return try await rows.opened(found).first
    }

    /// Of whom or what a file is the picture, or was to be.
    func subjects(of id: UUID) async throws -> [(subject: UUID, isGroup: Bool)] {
        let found = try await pool.query(
            "SELECT p.subject_id, p.is_group FROM parley.pictures p WHERE p.attachment_id = \(id)"
        )
        return try found.map { (try $0.decode("subject_id"), try $0.decode("is_group")) }
    }

    /// Has all pictures of a person or group go but the present one.
    func replacePictures(of subject: UUID, with present: UUID?) async throws {
        try await pool.withTransaction { connection in
            let files: [UUID] = try await connection.query(
                """
                SELECT a.attachment_id FROM parley.attachments a
                JOIN parley.pictures p ON p.attachment_id = a.attachment_id
                WHERE p.subject_id = \(subject) AND p.attachment_id IS DISTINCT FROM \(present)
                ORDER BY a.attachment_id FOR UPDATE OF a
                """
            ).map { try $0.decode("attachment_id") }
            guard !files.isEmpty else { return }
            try await connection.execute(
                "DELETE FROM parley.pictures p WHERE p.subject_id = \(subject) AND p.attachment_id = ANY (\(files))"
            )
            try await connection.execute(AttachmentRows.removal(of: files))
        }
    }

    /// Takes a picture back that is none, unless it was entered again since.
    func releasePicture(_ id: UUID, of subject: UUID, usedBefore time: Date) async throws {
        try await pool.withTransaction { connection in
            let files = try await AttachmentRows.lock("a.attachment_id = \(id)", on: connection)
            try await connection.execute(
                """
                DELETE FROM parley.pictures p
                WHERE p.subject_id = \(subject) AND p.attachment_id = ANY (\(files)) AND p.used_at < \(time)
                """
            )
            try await connection.execute(AttachmentRows.removal(of: files))
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
                UPDATE parley.attachments a SET removed_at = now()
                WHERE a.owner_id = \(person) AND a.removed_at IS NULL
                """
            )
            try await connection.execute(AttachmentRows.removal(of: files))
        }
    }
}
