package import EventStore
package import Foundation
package import Messaging
package import Postgres

/// What people have reported to those who run the server: rows beside the log, of which nothing else follows.
package struct Reports: Sendable {
    let pool: PostgresPool
    private let keyring: Keyring
    private let mostHeld: Int64

    /// - Parameter mostHeld: bytes of files: where the waiting reports of one person hold so many, more hold none. What is held
    ///   is in nobody's quota any more, once its message is deleted.
    package init(pool: PostgresPool, keyring: Keyring, mostHeld: Int64 = 1 << 30) {
        self.pool = pool
        self.keyring = keyring
        self.mostHeld = mostHeld
    }

    package struct Report: Sendable {
        package let id: UUID
        package let reporter: UUID
        package let person: UUID?
        package let conversation: UUID?
        package let message: UUID?
        package let reason: String
        package let evidence: Evidence

        package init(
            id: UUID,
            reporter: UUID,
            person: UUID?,
            conversation: UUID?,
            message: UUID?,
            reason: String,
            evidence: Evidence
        ) {
            self.id = id
            self.reporter = reporter
            self.person = person
            self.conversation = conversation
            self.message = message
            self.reason = reason
            self.evidence = evidence
        }
    }

    /// What is personal in a report, sealed as it was at that moment, whatever becomes of the message.
    package struct Evidence: Codable, Equatable, Sendable {
        package let text: String?
        /// Who sent the message; nil where none is reported, and in reports from before this was kept.
        package let sender: UUID?
        package let sentAt: Date?
        package let editedAt: Date?
        /// What the message showed of its files; nil as for the sender.
        package let files: [AttachedFile]?
        package let comment: String?

        package init(
            text: String?,
            sender: UUID?,
            sentAt: Date?,
            editedAt: Date?,
            files: [AttachedFile]?,
            comment: String?
        ) {
            self.text = text
            self.sender = sender
            self.sentAt = sentAt
            self.editedAt = editedAt
            self.files = files
            self.comment = comment
        }
    }

    /// Keeps a report, or finds it there. The bytes of the files stay while it waits, within the bound.
    ///
    /// - Parameter content: what a repeated report must repeat.
    /// - Returns: when it came in, and whether that was now.
    /// - Throws: `CommandError.idConflict` where the id was used for another one, `.unknownActor` where the reporter's account
    ///   is going.
    package func add(_ report: Report, content: [UInt8]) async throws -> (at: Date, isNew: Bool) {
        let evidence = Array(try JSONEncoder().encode(report.evidence))
        let files = report.evidence.files?.map(\.id) ?? []
        let (sealed, contentHMAC) = try await keyring.seal(evidence: evidence, content: content, of: report.id)
        let added = try await pool.query(
            """
            WITH added AS (
                INSERT INTO parley.reports (
                    report_id, reporter_id, person_id, conversation_id, message_id, reason, key_id, sealed, content_hmac)
                SELECT n.* FROM (
                    VALUES (\(report.id)::uuid, \(report.reporter)::uuid, \(report.person)::uuid,
                        \(report.conversation)::uuid, \(report.message)::uuid, \(report.reason)::text,
                        \(sealed.key)::uuid, \(Bytes(sealed.bytes))::bytea, \(Bytes(contentHMAC))::bytea)
                ) AS n (report_id, reporter_id, person_id, conversation_id, message_id, reason, key_id, sealed, content_hmac)
                WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = n.reporter_id)
                ON CONFLICT (report_id) DO NOTHING
                RETURNING report_id, created_at
            ), held AS (
                INSERT INTO parley.held_attachments (report_id, attachment_id)
                SELECT a.report_id, f.attachment_id FROM added a, unnest(\(files)::uuid[]) AS f (attachment_id)
                WHERE \(mostHeld)::bigint > (
                    SELECT coalesce(sum(x.full_bytes + x.thumbnail_bytes), 0)::bigint FROM parley.reports r
                    JOIN parley.held_attachments h ON h.report_id = r.report_id
                    JOIN parley.attachments x ON x.attachment_id = h.attachment_id
                    WHERE r.reporter_id = \(report.reporter))
                ON CONFLICT (report_id, attachment_id) DO NOTHING
            )
            SELECT a.created_at FROM added a
            """
        )
        if let row = added.first { return (try row.decode("created_at"), true) }
        let found = try await pool.query(
            """
            SELECT r.created_at, r.reporter_id = \(report.reporter) AND r.content_hmac = \(Bytes(contentHMAC)) AS is_same
            FROM parley.reports r WHERE r.report_id = \(report.id)
            """
        )
        guard let row = found.first else { throw CommandError.unknownActor }
        guard try row.decode("is_same", as: Bool.self) else { throw CommandError.idConflict }
        return (try row.decode("created_at"), false)
    }

    /// What was sealed with a report; nil where there is nothing any more.
    package func evidence(of report: UUID) async throws -> Evidence? {
        let rows = try await pool.query("SELECT r.key_id, r.sealed FROM parley.reports r WHERE r.report_id = \(report)")
        guard let row = rows.first, let key: UUID = try row.decode("key_id") else { return nil }
        let sealed = SealedEvidence(key: key, bytes: try row.decode("sealed", as: Bytes.self).bytes)
        return try await keyring.open(sealed, of: report).map {
            try JSONDecoder().decode(Evidence.self, from: Data($0))
        }
    }

    /// Forgets what an erased person has reported, and has said in what others reported.
    package func forget(_ person: UUID) async throws {
        try await pool.execute(
            """
            DELETE FROM parley.held_attachments h USING parley.reports r
            WHERE r.report_id = h.report_id AND r.person_id = \(person)
            """
        )
        try await pool.execute("DELETE FROM parley.reports WHERE reporter_id = \(person)")
        try await pool.execute(
            "UPDATE parley.reports SET key_id = NULL, sealed = NULL WHERE person_id = \(person) AND key_id IS NOT NULL"
        )
    }
}
