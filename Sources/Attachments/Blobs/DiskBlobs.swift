import Foundation
import Glibc
import Synchronization

/// Keeps blobs in a directory of this machine, or one that several share.
final class DiskBlobs: BlobStore {
    let directory: String
    let place = BlobPlace.disk
    let chunksAtOnce = 4
    /// Shards that this process has synced with those above them: at most 65,536, by the form of names.
    private let safeShards = Mutex<Set<String>>([])

    init(directory: String) {
        self.directory = directory
    }

    func path(of name: BlobName) -> String { "\(directory)/\(name.path)" }

    /// Renames it, and makes sure that the name is there after a crash, too.
    func put(_ file: String, as name: BlobName) async throws {
        let path = path(of: name)
        let shard = name.shard
        try await Disk.run { [self] in
            try makeShard(shard)
            _ = try Disk.check(Int(rename(file, path)))
            try Disk.syncDirectory("\(directory)/\(shard)")
        }
    }

    private func makeShard(_ shard: String) throws {
        let path = "\(directory)/\(shard)"
        if safeShards.withLock({ $0.contains(shard) }), access(path, F_OK) == 0 { return }
        try Disk.makeDirectory((path as NSString).deletingLastPathComponent)
        try Disk.makeDirectory(path)
        safeShards.withLock { _ = $0.insert(shard) }
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
            let last = name.map(\.shard)
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
