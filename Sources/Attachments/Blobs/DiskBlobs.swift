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

    /// A directory at a time, with all that is below it.
    func list(after path: String?) async throws -> [String] {
        try await Disk.run { [directory] in
            let last = path.map { String($0.prefix { $0 != "/" }) }
            let files = FileManager.default
            let names = ((try? files.contentsOfDirectory(atPath: directory)) ?? []).sorted()
            for name in names where last.map({ $0 < name }) ?? true {
                let found = (try? files.subpathsOfDirectory(atPath: "\(directory)/\(name)")) ?? []
                return found.isEmpty ? [name] : found.sorted().map { "\(name)/\($0)" }
            }
            return []
        }
    }

    func trouble() async -> String? {
        let isWritable = try? await Disk.run { [directory] in access(directory, W_OK | X_OK) == 0 }
        return isWritable == true ? nil : "the directory of attachments cannot be written to"
    }
}
