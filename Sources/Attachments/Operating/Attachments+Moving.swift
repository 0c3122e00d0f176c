import Crypto
import Foundation
import ParleyWire
import Postgres

extension Attachments {
    /// What came of moving.
    package struct Moved: Sendable {
        package var files = 0
        /// Those that cannot be had from where they are, and so stay there.
        package var findings: [String] = []
    }

    /// Moves all files to another place, one after the other, beside running servers: copied, looked at, and only then gone
    /// from where they were. What was cut short is begun again where it stood.
    ///
    /// - Throws: `unavailable` where one of the places does not answer; what was moved until then is moved.
    package func move(to place: BlobPlace) async throws -> Moved {
        var moved = Moved()
        var before: Int
        // Once more, for what has come meanwhile.
        repeat {
            before = moved.files
            moved.findings = []
            try await moveAll(to: try store(place), &moved)
        } while moved.files > before
        return moved
    }

    private func moveAll(to target: any BlobStore, _ moved: inout Moved) async throws {
        var last: UUID?
        while true {
            let found = try await rows.pool.query(
                """
                SELECT \(StoredAttachment.columns) FROM parley.attachments a
                WHERE a.completed_at IS NOT NULL AND a.removed_at IS NULL AND a.store <> \(target.place.rawValue)
                    AND (\(last)::uuid IS NULL OR a.attachment_id > \(last)::uuid)
                ORDER BY a.attachment_id LIMIT 100
                """
            )
            guard let end = found.last else { return }
            for file in try await rows.opened(found) {
                do {
                    try await move(file, to: target)
                    moved.files += 1
                } catch is BlobMissing {
                    try await note(file, "is missing", &moved)
                } catch is CryptoKitError {
                    try await note(file, "is not what was kept", &moved)
                }
            }
            last = try end.decode("attachment_id", as: UUID.self)
        }
    }

    private func note(_ file: StoredAttachment, _ what: String, _ moved: inout Moved) async throws {
        // What has gone meanwhile is nothing to be told.
        guard let blob = file.blob, try await isStillThere(file.id, blob) else { return }
        let name = BlobName(blob, .full)
        moved.findings.append("\(file.id.uuidString.lowercased()) \(what) (\(file.store.rawValue): \(name))")
    }

    private func move(_ file: StoredAttachment, to target: any BlobStore) async throws {
        guard let blob = file.blob else { return }
        let source = try store(file.store)
        let names = AttachmentLinks.Size.allCases.filter { file.bytes($0) != nil }.map { BlobName(blob, $0) }
        for name in names {
            let path = "\(uploadDirectory)/\(UUID().uuidString.lowercased()).move"
            do {
                let written = try await copy(file, name, from: source, to: path)
                try await target.put([name.size: written], as: name.id)
            } catch {
                try? await Disk.remove(path)
                throw error
            }
        }
        let changed = try await rows.pool.execute(
            """
            UPDATE parley.attachments a SET store = \(target.place.rawValue)
            WHERE a.attachment_id = \(file.id) AND a.blob_id = \(blob) AND a.removed_at IS NULL
            """
        )
        // What has gone meanwhile goes from both.
        for name in names { try await (changed == 1 ? source : target).remove(name) }
    }

    /// The seal is looked at on the way: what is lost or changed stays where it is, and is no reason to remove anything.
    private func copy(
        _ file: StoredAttachment,
        _ name: BlobName,
        from source: any BlobStore,
        to path: String
    ) async throws -> DiskFile {
        let bytes = file.bytes(name.size) ?? 0
        let cipher = FileCipher(file.details.cipherKey, file: file.id, name.size)
        let copy = try await DiskFile.create(path)
        let count = FileCipher.chunks(of: bytes)
        for first in stride(from: 0, to: count, by: source.chunksAtOnce) {
            let chunks = first..<min(count, first + source.chunksAtOnce)
            let sealed = try await source.read(name, FileCipher.sealedRange(of: chunks, in: bytes))
            _ = try cipher.open(sealed, chunks: chunks, in: bytes)
            try await copy.append(sealed)
        }
        return copy
    }
}
