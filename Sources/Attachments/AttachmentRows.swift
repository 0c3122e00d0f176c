import EventStore
import Foundation
import Messaging
import Postgres

/// The table of files.
struct AttachmentRows: Sendable {
    let pool: PostgresPool
    let keyring: Keyring

    /// A file, whoever's and in whatever state; nil where there is none, it is about to go, or its owner is erased, or about to
    /// be: an erasure holds from its first step on, in every process.
    func find(_ id: UUID) async throws -> StoredAttachment? {
        try await find([id]).first
    }

    func find(_ ids: [UUID]) async throws -> [StoredAttachment] {
        guard !ids.isEmpty else { return [] }
        let rows = try await pool.query(
            """
            SELECT \(StoredAttachment.columns) FROM parley.attachments a
            WHERE a.attachment_id = ANY (\(ids)) AND a.removed_at IS NULL
                AND NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = a.owner_id)
            """
        )
        return try await opened(rows)
    }

    /// A file that a report holds, and be it gone for all others; nil where its owner or who is reported is erased, or about
    /// to be.
    func find(_ id: UUID, heldBy report: UUID) async throws -> StoredAttachment? {
        let rows = try await pool.query(
            """
            SELECT \(StoredAttachment.columns) FROM parley.attachments a
            JOIN parley.held_attachments h ON h.attachment_id = a.attachment_id
            JOIN parley.reports r ON r.report_id = h.report_id
            WHERE a.attachment_id = \(id) AND h.report_id = \(report) AND a.completed_at IS NOT NULL
                AND NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id IN (a.owner_id, r.person_id))
            """
        )
        return try await opened(rows).first
    }

    func opened(_ rows: Rows) async throws -> [StoredAttachment] {
        let details = try await keyring.open(files: try rows.map(StoredAttachment.sealed))
        return try zip(rows, details).compactMap { row, details in
            guard let details, let read = try? JSONDecoder().decode(FileDetails.self, from: Data(details)) else {
                return nil
            }
            return try StoredAttachment(row, read)
        }
    }

    func seal(_ details: FileDetails, of owner: UUID, as file: UUID) async throws -> SealedDraft {
        let bytes = [UInt8](try JSONEncoder().encode(details))
        guard let sealed = try await keyring.seal(file: bytes, of: owner, as: file) else {
            throw AttachmentError.unknownOwner
        }
        return sealed
    }

    /// Whether the id is in use, by anybody and in any state.
    func isTaken(_ id: UUID) async throws -> Bool {
        try await !pool.query("SELECT FROM parley.attachments a WHERE a.attachment_id = \(id)").isEmpty
    }

    /// For `WITH`, in a statement that joins it: the commit of the transaction does not wait for the disk. Only for what is done
    /// again where it is lost, or means nothing without a later commit: one that waits has all on the disk that came before it.
    static let withoutWaiting: SQL = """
        without_waiting AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
        """

    // MARK: Uploads

    /// How much somebody has, and how many uploads are not complete.
    func usage(of owner: UUID) async throws -> (bytes: Int64, pending: Int) {
        let rows = try await pool.query(
            """
            SELECT coalesce(sum(a.full_bytes + a.thumbnail_bytes + CASE WHEN a.completed_at IS NULL THEN a.received ELSE 0 END), 0)::bigint
                    AS bytes,
                count(*) FILTER (WHERE a.completed_at IS NULL) AS pending
            FROM parley.attachments a WHERE a.owner_id = \(owner) AND a.removed_at IS NULL
            """
        )
        guard let row = rows.first else { return (0, 0) }
        return (try row.decode("bytes"), try row.decode("pending"))
    }

    /// How much all have.
    func totalBytes() async throws -> Int64 {
        let rows = try await pool.query(
            "SELECT coalesce(sum(a.full_bytes + a.thumbnail_bytes + a.received), 0)::bigint AS bytes FROM parley.attachments a"
        )
        return try rows.first?.decode("bytes") ?? 0
    }

    /// Enters a new upload; false where the id is in use, or the owner is going. Nothing of it was told to anybody by now.
    func begin(_ upload: UploadRequest, as token: UUID, _ sealed: SealedDraft) async throws -> Bool {
        try await pool.execute(
            """
            WITH \(Self.withoutWaiting)
            INSERT INTO parley.attachments (
                attachment_id, owner_id, kind, length, key_id, sealed, store, upload, part_ids, part_starts)
            SELECT n.* FROM (
                VALUES (\(upload.id)::uuid, \(upload.owner)::uuid, \(upload.kind.rawValue), \(upload.length)::bigint,
                    \(sealed.key)::uuid, \(Bytes(sealed.bytes))::bytea, 'disk', \(token)::uuid,
                    ARRAY[\(token)::uuid], ARRAY[0::bigint])
            ) AS n (attachment_id, owner_id, kind, length, key_id, sealed, store, upload, part_ids, part_starts),
                without_waiting
            WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = n.owner_id)
            ON CONFLICT (attachment_id) DO NOTHING
            """
        ) == 1
    }

    /// Begins an upload of the same id anew, from the first byte on.
    func restart(_ upload: UploadRequest, as token: UUID, _ sealed: SealedDraft) async throws -> Bool {
        try await pool.execute(
            """
            UPDATE parley.attachments a
            SET upload = \(token), received = 0, length = \(upload.length), kind = \(upload.kind.rawValue),
                key_id = \(sealed.key), sealed = \(Bytes(sealed.bytes)), touched_at = now(),
                part_ids = ARRAY[\(token)::uuid], part_starts = ARRAY[0::bigint]
            WHERE a.attachment_id = \(upload.id) AND a.owner_id = \(upload.owner) AND a.completed_at IS NULL
                AND a.removed_at IS NULL
            """
        ) == 1
    }

    /// Goes on with an upload where it stands.
    func goOn(with file: StoredAttachment, at offset: Int64, as token: UUID) async throws -> Bool {
        try await pool.execute(
            """
            UPDATE parley.attachments a
            SET upload = \(token), touched_at = now(), part_ids = a.part_ids || \(token)::uuid,
                part_starts = a.part_starts || \(offset)::bigint
            WHERE a.attachment_id = \(file.id) AND a.completed_at IS NULL AND a.removed_at IS NULL
                AND a.received = \(offset) AND a.upload IS NOT DISTINCT FROM \(file.upload)
            """
        ) == 1
    }

    /// Notes how much is on the disk.
    ///
    /// - Throws: `overtaken` where another request brings the file by now.
    func note(received: Int64, length: Int64?, of id: UUID, by token: UUID) async throws {
        let count = try await pool.execute(
            """
            UPDATE parley.attachments a
            SET received = \(received), length = coalesce(\(length)::bigint, a.length), touched_at = now()
            WHERE a.attachment_id = \(id) AND a.upload = \(token) AND a.completed_at IS NULL AND a.removed_at IS NULL
            """
        )
        guard count == 1 else { throw AttachmentError.overtaken }
    }

    /// Nothing of an upload is on the disk any more: it begins anew.
    ///
    /// - Throws: `overtaken`.
    func forgetParts(of id: UUID, by token: UUID) async throws {
        let count = try await pool.execute(
            """
            UPDATE parley.attachments a SET received = 0, part_ids = '{}', part_starts = '{}', touched_at = now()
            WHERE a.attachment_id = \(id) AND a.upload = \(token) AND a.completed_at IS NULL AND a.removed_at IS NULL
            """
        )
        guard count == 1 else { throw AttachmentError.overtaken }
    }

    struct Completion {
        let blob: UUID
        let place: BlobPlace
        let length: Int64
        let fullBytes: Int64
        let thumbnailBytes: Int64
        let sealed: SealedDraft
        let contentHMAC: [UInt8]
    }

    /// All of it is there and safe.
    func complete(_ completion: Completion, of id: UUID, by token: UUID) async throws {
        let count = try await pool.execute(
            """
            UPDATE parley.attachments a
            SET completed_at = now(), touched_at = now(), upload = NULL, part_ids = '{}', part_starts = '{}', received = 0,
                length = \(completion.length), blob_id = \(completion.blob), store = \(completion.place.rawValue),
                full_bytes = \(completion.fullBytes), thumbnail_bytes = \(completion.thumbnailBytes),
                key_id = \(completion.sealed.key), sealed = \(Bytes(completion.sealed.bytes)),
                content_hmac = \(Bytes(completion.contentHMAC))
            WHERE a.attachment_id = \(id) AND a.upload = \(token) AND a.completed_at IS NULL AND a.removed_at IS NULL
            """
        )
        guard count == 1 else { throw AttachmentError.overtaken }
    }

    /// Takes a file away that was refused when it was complete: nothing of it is left but its id, which may be used again.
    func refuse(_ id: UUID, by token: UUID) async throws {
        try await pool.execute(
            """
            DELETE FROM parley.attachments a
            WHERE a.attachment_id = \(id) AND a.upload = \(token) AND a.completed_at IS NULL
            """
        )
    }

    // MARK: Going

    /// Has a file go that belongs to nothing.
    ///
    /// - Returns: false where there is none of the owner's, or it belongs to something.
    func withdraw(_ id: UUID, of owner: UUID) async throws -> Bool {
        try await pool.withTransaction { connection in
            let files = try await Self.lock("a.attachment_id = \(id) AND a.owner_id = \(owner)", on: connection)
            return try await connection.execute(Self.removal(of: files)) == 1
        }
    }

    /// Locks files, so that whoever makes them belong to something has done so or waits.
    ///
    /// To what they belong is asked in a further statement of the transaction: one that has waited for a lock still sees what there
    /// was when it began, and the row itself is looked at again only where it was changed.
    static func lock(_ condition: SQL, on connection: PostgresConnection) async throws -> [UUID] {
        try await connection.query(
            """
            SELECT a.attachment_id FROM parley.attachments a WHERE \(condition)
            ORDER BY a.attachment_id FOR UPDATE
            """
        ).map { try $0.decode("attachment_id") }
    }

    /// Has those of locked files go that belong to nothing.
    static func removal(of files: [UUID]) -> SQL {
        """
        UPDATE parley.attachments a SET removed_at = now()
        WHERE a.attachment_id = ANY (\(files)) AND a.removed_at IS NULL
            AND NOT EXISTS (SELECT FROM parley.attachment_uses u WHERE u.attachment_id = a.attachment_id)
            AND NOT EXISTS (SELECT FROM parley.pictures p WHERE p.attachment_id = a.attachment_id)
        """
    }
}
