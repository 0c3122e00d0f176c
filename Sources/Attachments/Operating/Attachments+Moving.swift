import Foundation
import ParleyWire
import Postgres

extension Attachments {
    /// Moves all files to another place, one after the other, beside running servers: copied, looked at, and only then gone
    /// from where they were. What was cut short is begun again where it stood.
    ///
    /// - Parameter progress: is told how many were moved.
    /// - Returns: how many.
    package func move(to place: BlobPlace, progress: @Sendable (Int) -> Void = { _ in }) async throws -> Int {
        let target = try store(place)
        var moved = 0
        while true {
            let found = try await rows.pool.query(
                """
                SELECT a.attachment_id, a.blob_id, a.store, a.full_bytes, a.thumbnail_bytes FROM parley.attachments a
                WHERE a.completed_at IS NOT NULL AND a.removed_at IS NULL AND a.store <> \(place.rawValue)
                ORDER BY a.attachment_id LIMIT 100
                """
            )
            guard !found.isEmpty else { return moved }
            for row in found {
                try await move(row, to: target)
                moved += 1
                progress(moved)
            }
        }
    }

    private func move(_ row: Row, to target: any BlobStore) async throws {
        let source = try store(BlobPlace(rawValue: try row.decode("store")) ?? .disk)
        let (id, blob): (UUID, UUID) = (try row.decode("attachment_id"), try row.decode("blob_id"))
        let sizes = [
            (BlobName(blob, .full), Int(try row.decode("full_bytes", as: Int64.self))),
            (BlobName(blob, .thumbnail), Int(try row.decode("thumbnail_bytes", as: Int64.self))),
        ].filter { $0.0.size == .full || $0.1 > 0 }
        for (name, bytes) in sizes {
            let size = FileCipher.sealedBytes(of: bytes)
            if try await target.size(of: name) == size { continue }
            let copy = try await DiskFile.create("\(uploadDirectory)/\(UUID().uuidString.lowercased()).move")
            for start in stride(from: 0, to: size, by: 1 << 20) {
                try await copy.append(try await source.read(name, start..<min(size, start + 1 << 20)))
            }
            try await copy.sync()
            try await target.put(copy.path, as: name)
            guard try await target.size(of: name) == size else { throw AttachmentError.unavailable }
        }
        let changed = try await rows.pool.execute(
            """
            UPDATE parley.attachments a SET store = \(target.place.rawValue)
            WHERE a.attachment_id = \(id) AND a.blob_id = \(blob) AND a.removed_at IS NULL
            """
        )
        // What has gone meanwhile goes from both.
        for (name, _) in sizes { try await (changed == 1 ? source : target).remove(name) }
    }
}
