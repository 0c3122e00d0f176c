import Foundation
import Glibc
import NIOPosix
import Synchronization

/// Work with files that may wait for the disk, on threads of its own.
enum Disk {
    static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await NIOThreadPool.singleton.runIfActive(body)
    }

    /// - Throws: ``AttachmentError/full`` where the disk has no room, else a `POSIXError`.
    static func check(_ result: Int) throws -> Int {
        guard result < 0 else { return result }
        let code = errno
        if code == ENOSPC || code == EDQUOT || code == EFBIG { throw AttachmentError.full }
        throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }

    /// Makes a directory with those above it, and makes sure that they are there after a crash: also where it is there already,
    /// for whoever has just made it may not have come so far.
    static func makeDirectory(_ path: String) throws {
        let parent = (path as NSString).deletingLastPathComponent
        if access(path, F_OK) != 0 {
            if !parent.isEmpty, parent != path, access(parent, F_OK) != 0 { try makeDirectory(parent) }
            if mkdir(path, 0o700) != 0, errno != EEXIST { _ = try check(-1) }
        }
        try syncDirectory(parent.isEmpty ? "." : parent)
    }

    /// Brings what was written of a file to the disk; one that is not there any more has nothing to lose.
    static func syncFile(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        _ = try check(Int(descriptor))
        defer { close(descriptor) }
        _ = try check(Int(fdatasync(descriptor)))
    }

    static func syncDirectory(_ path: String) throws {
        let descriptor = Int32(try check(Int(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))))
        defer { close(descriptor) }
        _ = try check(Int(fsync(descriptor)))
    }
}

/// A file that is written from its beginning to its end, once.
final class DiskFile: Sendable {
    private struct State {
        var isBroken = false
        var isNameSafe = false
    }

    let path: String
    private let descriptor: Int32
    private let state = Mutex(State())

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    static func create(_ path: String) async throws -> DiskFile {
        try await Disk.run {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            // The directory is not there, or not for this program.
            if descriptor < 0, [ENOENT, EACCES, EROFS, ENOTDIR].contains(errno) { throw AttachmentError.unavailable }
            return DiskFile(path: path, descriptor: Int32(try Disk.check(Int(descriptor))))
        }
    }

    func append(_ data: Data) async throws {
        try await run { [descriptor] in
            try data.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let part = UnsafeRawBufferPointer(rebasing: rest)
                    let written = Glibc.write(descriptor, part.baseAddress, part.count)
                    if written < 0, errno == EINTR { continue }
                    rest = rest.dropFirst(try Disk.check(written))
                }
            }
        }
    }

    /// Returns when what was written survives the machine, under whatever name: that of a new file does not yet.
    func sync() async throws {
        try await Disk.run { [self] in try syncBlocking() }
    }

    /// As ``sync()``, on a thread that may wait.
    func syncBlocking() throws {
        try unlessBroken { _ = try Disk.check(Int(fdatasync(descriptor))) }
    }

    /// Returns when the file is found under its name after a crash. Whoever renames it at once needs this of the new name alone.
    func syncName() async throws {
        guard !state.withLock({ $0.isNameSafe }) else { return }
        try await run { [path] in try Disk.syncDirectory((path as NSString).deletingLastPathComponent) }
        state.withLock { $0.isNameSafe = true }
    }

    private func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await Disk.run { [self] in try unlessBroken(body) }
    }

    /// After one failure everything fails: a part of a chunk may be there, and what could not be brought to the disk Linux tells
    /// once, so that the next sync would succeed without it.
    private func unlessBroken(_ body: () throws -> Void) throws {
        guard !state.withLock({ $0.isBroken }) else { throw POSIXError(.EIO) }
        do {
            try body()
        } catch {
            state.withLock { $0.isBroken = true }
            throw error
        }
    }
}

extension Disk {
    /// Part of a file.
    ///
    /// - Throws: ``BlobMissing`` where there is no such file, or it is shorter.
    static func read(_ path: String, _ range: Range<Int>) async throws -> Data {
        try await run {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { throw BlobMissing() }
            _ = try check(Int(descriptor))
            defer { close(descriptor) }
            var data = Data(count: range.count)
            let count = try data.withUnsafeMutableBytes { bytes in
                var done = 0
                while done < bytes.count {
                    let room = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
                    let read = pread(descriptor, room.baseAddress, room.count, range.lowerBound + done)
                    if read < 0, errno == EINTR { continue }
                    if try check(read) == 0 { break }
                    done += read
                }
                return done
            }
            guard count == range.count else { throw BlobMissing() }
            return data
        }
    }

    static func size(of path: String) async throws -> Int? {
        try await run {
            var info = stat()
            if stat(path, &info) != 0 {
                guard errno == ENOENT || errno == ENOTDIR else { _ = try check(-1); return nil }
                return nil
            }
            return Int(info.st_size)
        }
    }

    static func remove(_ path: String) async throws {
        try await run {
            if unlink(path) != 0, errno != ENOENT { _ = try check(-1) }
        }
    }
}
