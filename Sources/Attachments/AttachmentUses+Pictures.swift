import Foundation
import Postgres

/// Whose or what's picture a file is, or is to be: entered before that is told, as for messages.
extension AttachmentUses {
    /// Enters an image of a person's as the picture of the person or of a group.
    ///
    /// - Returns: nil where there is no such image of the person's, or it is in a message.
    func claimPicture(_ id: UUID, of owner: UUID, for subject: UUID, isGroup: Bool) async throws -> StoredAttachment? {
        try await pool.withTransaction { connection in
            let files = try await AttachmentRows.lock(
                """
                a.attachment_id = \(id) AND a.owner_id = \(owner) AND a.kind = 'image'
                    AND a.completed_at IS NOT NULL AND a.removed_at IS NULL
                """,
                on: connection
            )
            try await connection.execute(
                """
                INSERT INTO parley.pictures (attachment_id, subject_id, is_group)
                SELECT f.attachment_id, \(subject), \(isGroup) FROM unnest(\(files)) AS f (attachment_id)
                WHERE NOT EXISTS (SELECT FROM parley.attachment_uses u WHERE u.attachment_id = f.attachment_id)
                ON CONFLICT (attachment_id, subject_id) DO UPDATE SET used_at = now()
                """
            )
        }
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

    /// Takes pictures back that are none, or none any more.
    ///
    /// - Parameters:
    ///   - present: what is entered later than this one is about to be told of, and stays; nil where there is none.
    ///   - time: what was entered then or since stays, too.
    func releasePictures(
        _ files: [UUID],
        of subject: UUID,
        present: UUID? = nil,
        usedBefore time: Date = .distantFuture
    ) async throws {
        guard !files.isEmpty else { return }
        try await pool.withTransaction { connection in
            let files = try await AttachmentRows.lock("a.attachment_id = ANY (\(files))", on: connection)
            try await connection.execute(
                """
                DELETE FROM parley.pictures p
                WHERE p.subject_id = \(subject) AND p.attachment_id = ANY (\(files)) AND p.used_at < \(time)
                    AND NOT EXISTS (
                        SELECT FROM parley.pictures s
                        WHERE s.subject_id = p.subject_id AND s.attachment_id = \(present)
                            AND s.used_at < p.used_at)
                """
            )
            try await connection.execute(AttachmentRows.removal(of: files))
        }
    }
}
