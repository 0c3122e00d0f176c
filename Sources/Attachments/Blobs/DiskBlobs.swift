import Foundation
import Glibc
import ParleyWire
import Synchronization

/// Keeps blobs in a directory of this machine, or one that several share.
final class DiskBlobs: BlobStore {
    let directory: String
    let place = BlobPlace.disk
    let chunksAtOnce = 4
    /// Directories below this one whose names this process has synced: at most 256, and 256 in each, by the form of names.
    private let safe = Mutex<Set<String>>([])

    init(directory: String) {
        self.directory = directory
    }

    func path(of name: BlobName) -> String { "\(directory)/\(name.path)" }

    /// Renames them, and makes sure that they are there after a crash, too.
    ///
    /// The renames come before all syncs: a journal then has them in the transaction that the first sync commits, and the
    /// directories' find nothing left to be written. Bytes that a crash tears under their last name are in no row that is
    /// complete: that is written after this.
    func put(_ files: [AttachmentLinks.Size: DiskFile], as id: UUID) async throws {
        let shard = BlobName(id, .full).shard
        let syncs = try await Disk.run { [self] in
            let unsynced = try makeShard(shard)
            for (size, file) in files { _ = try Disk.check(Int(rename(file.path, path(of: BlobName(id, size))))) }
            for file in files.values { try file.syncBlocking() }
            let directories = ["\(directory)/\(shard)"] + unsynced.directories
            for path in directories { try Disk.syncDirectory(path) }
            safe.withLock { $0.formUnion(unsynced.names) }
            return files.count + directories.count
        }
        AttachmentMetrics.synced(syncs)
    }

    private struct Unsynced {
        /// Those to be synced.
        var directories: [String] = []
        /// Those that are safe then, below the directory of all.
        var names: Set<String> = []
    }

    /// Makes the directories of a shard. Those that are there already are synced once in each process, too: whoever has made them
    /// may not have come so far. One sync does for all shards that are in the same directory by then.
    private func makeShard(_ shard: String) throws -> Unsynced {
        if access(directory, F_OK) != 0 { try Disk.makeDirectory(directory) }
        let outer = String(shard.prefix(2))
        let isOuterUnsynced = try makeUnsynced(outer)
        let isShardUnsynced = try makeUnsynced(shard)
        guard isOuterUnsynced || isShardUnsynced else { return Unsynced() }
        var unsynced = Unsynced(directories: ["\(directory)/\(outer)"], names: [shard])
        if isOuterUnsynced {
            unsynced.directories.append(directory)
            let shards = try FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(outer)")
            unsynced.names.formUnion(shards.filter { $0.utf8.count == 2 }.map { "\(outer)/\($0)" })
            unsynced.names.insert(outer)
        }
        return unsynced
    }

    /// Makes a directory where it is missing.
    ///
    /// - Returns: whether its name is still to be synced.
    private func makeUnsynced(_ name: String) throws -> Bool {
        if mkdir("\(directory)/\(name)", 0o700) == 0 { return true }
        if errno != EEXIST { _ = try Disk.check(-1) }
        return !safe.withLock { $0.contains(name) }
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
