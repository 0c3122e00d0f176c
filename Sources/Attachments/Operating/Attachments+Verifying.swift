import Foundation
import ParleyWire
import Postgres

extension Attachments {
    /// What is wrong with what is kept.
    package struct Verified: Sendable {
        /// Files that are there and have all their bytes.
        package var files = 0
        /// Those that have not, and what is kept that belongs to no file.
        package var findings: [String] = []
    }

    /// Looks at every file, and at everything that is kept. What comes and goes meanwhile is looked at twice before it is
    /// said to be wrong.
    package func verify() async throws -> Verified {
        var verified = Verified()
        var known: [BlobPlace: Set<UUID>] = [:]
        var last: UUID?
        while true {
            let rows = try await rows.pool.query(
                """
                SELECT \(StoredAttachment.columns) FROM parley.attachments a
                WHERE a.completed_at IS NOT NULL AND (\(last)::uuid IS NULL OR a.attachment_id > \(last)::uuid)
                ORDER BY a.attachment_id LIMIT 500
                """
            )
            guard let end = rows.last else { break }
            for row in rows {
                let place = BlobPlace(rawValue: try row.decode("store")) ?? .disk
                guard let blob = try row.decode("blob_id", as: UUID?.self) else { continue }
                known[place, default: []].insert(blob)
                verified.files += 1
                let sizes = [
                    (AttachmentLinks.Size.full, try row.decode("full_bytes", as: Int64.self)),
                    (.thumbnail, try row.decode("thumbnail_bytes", as: Int64.self)),
                ]
                for (size, bytes) in sizes where size == .full || bytes > 0 {
                    let name = BlobName(blob, size)
                    let found = try await store(place).size(of: name)
                    guard found != FileCipher.sealedBytes(of: Int(bytes)) else { continue }
                    let id: UUID = try row.decode("attachment_id")
                    guard try await isStillThere(id, blob) else { continue }
                    let what = found == nil ? "is missing" : "has another size"
                    verified.findings.append(
                        "\(size.rawValue) of \(id.uuidString.lowercased()) \(what) (\(place.rawValue): \(name))"
                    )
                }
            }
            last = try end.decode("attachment_id", as: UUID.self)
        }
        for store in stores {
            try await findOrphans(in: store, besides: known[store.place] ?? [], &verified)
        }
        return verified
    }

    /// What is there and belongs to no file whose row says so: also copies of what is kept elsewhere.
    private func findOrphans(
        in store: any BlobStore,
        besides known: Set<UUID>,
        _ verified: inout Verified
    ) async throws {
        var loose: [BlobName] = []
        var last: String?
        while true {
            let paths = try await store.list(after: last)
            guard let end = paths.last else { break }
            for path in paths {
                if let name = BlobName(path: path) {
                    if !known.contains(name.id), try await !isInUse(name.id, in: store.place) { loose.append(name) }
                } else if BlobName.isMisplaced(path) {
                    verified.findings.append("nobody's: \(store.place.rawValue): \(path)")
                }
            }
            last = end
        }
        // Later, because what is being moved is in both places meanwhile.
        for name in loose where try await !isInUse(name.id, in: store.place) {
            guard try await store.size(of: name) != nil else { continue }
            verified.findings.append("nobody's: \(store.place.rawValue): \(name)")
        }
    }

    func isStillThere(_ id: UUID, _ blob: UUID) async throws -> Bool {
        try await !rows.pool.query(
            "SELECT FROM parley.attachments a WHERE a.attachment_id = \(id) AND a.blob_id = \(blob) AND a.removed_at IS NULL"
        ).isEmpty
    }

    /// Also what is just being written, and what the collector removes wherever it is.
    private func isInUse(_ blob: UUID, in place: BlobPlace) async throws -> Bool {
        try await !rows.pool.query(
            """
            SELECT FROM parley.attachments a
            WHERE a.upload = \(blob)
                OR (a.blob_id = \(blob) AND (a.store = \(place.rawValue) OR a.removed_at IS NOT NULL))
            """
        ).isEmpty
    }
}
