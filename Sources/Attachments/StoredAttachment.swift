import EventStore
package import Foundation
package import Messaging
package import ParleyWire
import Postgres

/// A file as its row has it.
package struct StoredAttachment: Sendable {
    package let id: UUID
    package let owner: UUID
    package let kind: AttachedFile.Kind
    package let isComplete: Bool
    /// How much of it has come and is on the disk.
    package let received: Int64
    /// How much was announced; nil where nothing was.
    package let length: Int64?
    let store: BlobPlace
    let blob: UUID?
    let fullBytes: Int64
    let thumbnailBytes: Int64
    let upload: UUID?
    let parts: [Part]
    let contentHMAC: [UInt8]?
    let key: UUID
    let details: FileDetails

    /// A piece of an upload, and where it begins.
    struct Part: Sendable, Hashable {
        let id: UUID
        let start: Int64
    }

    static let columns: SQL = """
        a.attachment_id, a.owner_id, a.kind, a.completed_at, a.received, a.length, a.store, a.blob_id, a.full_bytes,
        a.thumbnail_bytes, a.upload, a.part_ids, a.part_starts, a.content_hmac, a.key_id, a.sealed
        """

    static func sealed(_ row: Row) throws -> (owner: UUID, file: UUID, details: SealedDraft) {
        (
            owner: try row.decode("owner_id"), file: try row.decode("attachment_id"),
            details: SealedDraft(key: try row.decode("key_id"), bytes: try row.decode("sealed", as: Bytes.self).bytes)
        )
    }

    init(_ row: Row, _ details: FileDetails) throws {
        id = try row.decode("attachment_id")
        owner = try row.decode("owner_id")
        kind = AttachedFile.Kind(rawValue: try row.decode("kind")) ?? .file
        isComplete = try row.decode("completed_at", as: Date?.self) != nil
        received = try row.decode("received")
        length = try row.decode("length")
        store = BlobPlace(rawValue: try row.decode("store")) ?? .disk
        blob = try row.decode("blob_id")
        fullBytes = try row.decode("full_bytes")
        thumbnailBytes = try row.decode("thumbnail_bytes")
        upload = try row.decode("upload")
        parts = zip(
            try row.decode("part_ids", as: [UUID].self),
            try row.decode("part_starts", as: [Int64].self)
        ).map { Part(id: $0, start: $1) }
        contentHMAC = try row.decode("content_hmac", as: Bytes?.self)?.bytes
        key = try row.decode("key_id")
        self.details = details
    }

    /// As a message's event keeps it.
    package var file: AttachedFile {
        AttachedFile(
            id: id,
            kind: kind,
            contentType: details.contentType,
            bytes: fullBytes,
            name: details.name,
            width: details.width,
            height: details.height,
            blurhash: details.blurhash,
            durationMs: details.durationMs,
            waveform: details.waveform
        )
    }

    /// How many bytes there are to be had of it; nil for a picture that there is not.
    package func bytes(_ size: AttachmentLinks.Size) -> Int? {
        switch size {
        case .full: Int(fullBytes)
        case .thumbnail: thumbnailBytes > 0 ? Int(thumbnailBytes) : nil
        }
    }

    /// A strong entity tag: other bytes are kept under another id.
    package func tag(_ size: AttachmentLinks.Size) -> String {
        "\"\(blob?.uuidString.lowercased() ?? "")-\(size.rawValue)\""
    }

    package func contentType(_ size: AttachmentLinks.Size) -> String {
        size == .full ? details.contentType : details.thumbnailType ?? details.contentType
    }
}
