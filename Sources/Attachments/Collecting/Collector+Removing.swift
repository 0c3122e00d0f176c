import CoreMetrics
import Foundation
import ParleyWire
import Postgres

extension Collector {
    /// So many that cannot be removed end a pass: most likely none can be.
    private static let mostFailures = 3

    /// Takes away the bytes of what is gone, and then its rows; those of a file that a report holds, once it does no longer.
    ///
    /// Commits do not wait for the disk: what a crash of the database has stay is gone through again.
    ///
    /// - Throws: what kept the last of those from going that could not; they wait behind all others, which go before them.
    package func removeBytes() async throws {
        while !Task.isCancelled {
            let rows = try await pool.query(
                """
                WITH \(AttachmentRows.withoutWaiting)
                UPDATE parley.attachments a SET touched_at = now() FROM without_waiting
                WHERE a.attachment_id IN (
                    SELECT x.attachment_id FROM parley.attachments x
                    WHERE x.removed_at IS NOT NULL
                        AND NOT EXISTS (
                            SELECT FROM parley.held_attachments h WHERE h.attachment_id = x.attachment_id)
                    ORDER BY x.removed_at LIMIT \(Self.page) FOR UPDATE SKIP LOCKED)
                RETURNING a.attachment_id, a.store, a.blob_id, a.part_ids
                """
            )
            guard !rows.isEmpty else { return }
            var (removed, failed): ([UUID], [UUID]) = ([], [])
            var last: (any Error)?
            for row in rows where failed.count < Self.mostFailures {
                let id: UUID = try row.decode("attachment_id")
                do {
                    try await removeBytes(of: row)
                    removed.append(id)
                } catch {
                    try Task.checkCancellation()
                    failed.append(id)
                    last = error
                }
            }
            try await note(removed: removed, failed: failed)
            if let last { throw last }
        }
    }

    /// Locks rows in the order in which all others do who lock several: an erasure does with all that a person has.
    private func note(removed: [UUID], failed: [UUID]) async throws {
        if !failed.isEmpty {
            try await pool.execute(
                """
                UPDATE parley.attachments a SET removed_at = clock_timestamp()
                WHERE a.attachment_id IN (
                    SELECT x.attachment_id FROM parley.attachments x WHERE x.attachment_id = ANY (\(failed))
                    ORDER BY x.attachment_id FOR UPDATE)
                """
            )
        }
        guard !removed.isEmpty else { return }
        try await pool.execute(
            """
            WITH \(AttachmentRows.withoutWaiting)
            DELETE FROM parley.attachments a USING without_waiting
            WHERE a.attachment_id IN (
                SELECT x.attachment_id FROM parley.attachments x WHERE x.attachment_id = ANY (\(removed))
                ORDER BY x.attachment_id FOR UPDATE)
            """
        )
        AttachmentMetrics.removed.increment(by: removed.count)
    }

    private func removeBytes(of row: Row) async throws {
        let place = BlobPlace(rawValue: try row.decode("store", as: String.self)) ?? .disk
        if let blob = try row.decode("blob_id", as: UUID?.self) {
            let own = try attachments.store(place)
            // A move that was cut short may have left it in the other place, too.
            for store in [own] + attachments.stores.filter({ $0.place != place }) {
                for size in AttachmentLinks.Size.allCases { try await store.remove(BlobName(blob, size)) }
            }
        }
        for part in try row.decode("part_ids", as: [UUID].self) {
            // It may have been kept, and that not been noted.
            for size in AttachmentLinks.Size.allCases {
                try await attachments.newStore.remove(BlobName(part, size))
            }
            try await Disk.remove("\(attachments.uploadDirectory)/\(part.uuidString.lowercased()).part")
        }
    }

    /// Pieces that nobody will go on with: of uploads that were refused, overtaken, or cut short by a crash.
    func collectUploads(at now: Date) async throws {
        let directory = attachments.uploadDirectory
        let oldest = now.addingTimeInterval(-2 * attachments.limits.unattached.seconds)
        try await Disk.run {
            let files = FileManager.default
            for name in (try? files.contentsOfDirectory(atPath: directory)) ?? [] {
                let path = "\(directory)/\(name)"
                let changed = try? files.attributesOfItem(atPath: path)[.modificationDate] as? Date
                if let changed, changed < oldest { try? files.removeItem(atPath: path) }
            }
        }
    }
}
