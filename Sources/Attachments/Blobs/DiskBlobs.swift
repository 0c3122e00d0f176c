import Foundation
import Glibc

/// Keeps blobs in a directory of this machine, or one that several share.
struct DiskBlobs: BlobStore {
    let directory: String
    let place = BlobPlace.disk
    let chunksAtOnce = 4

    func path(of name: BlobName) -> String { "\(directory)/\(name.path)" }

    /// Renames it, and makes sure that the name is there after a crash, too.
    func put(_ file: String, as name: BlobName) async throws {
        let path = path(of: name)
        let parent = (path as NSString).deletingLastPathComponent
        try await Disk.run {
            try Disk.makeDirectory(parent)
            _ = try Disk.check(Int(rename(file, path)))
            try Disk.syncDirectory(parent)
        }
    }

    func read(_ name: BlobName, _ range: Range<Int>) async throws -> Data {
        try await Disk.read(path(of: name), range)
    }

    func size(of name: BlobName) async throws -> Int? {
        try await Disk.size(of: path(of: name))
    }

    func remove(_ name: BlobName) async throws {
        try await Disk.remove(path(of: name))
    }

    /// A shard at a time.
    func list(after name: BlobName?) async throws -> [BlobName] {
        try await Disk.run { [directory] in
            let last = name.map { String($0.path.prefix(5)) }
            let shards = Self.names(in: directory).flatMap { outer in
                Self.names(in: "\(directory)/\(outer)").map { "\(outer)/\($0)" }
            }
            for shard in shards where last.map({ $0 < shard }) ?? true {
                let found = Self.names(in: "\(directory)/\(shard)").compactMap { BlobName(path: "\(shard)/\($0)") }
                if !found.isEmpty { return found }
            }
            return []
        }
    }

    private static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    func trouble() async -> String? {
        let isWritable = try? await Disk.run { [directory] in access(directory, W_OK | X_OK) == 0 }
        return isWritable == true ? nil : "the directory of attachments cannot be written to"
    }
}
