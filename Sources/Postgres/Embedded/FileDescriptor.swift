import Foundation
import Glibc

/// An open file that is closed with its last reference.
package final class FileDescriptor: Sendable {
    package let rawValue: Int32

    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit { close(rawValue) }

    /// Opens a file, closed in every child process.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o600) throws -> FileDescriptor {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw lastPOSIXError() }
        return FileDescriptor(owning: descriptor)
    }

    /// Writes a whole new file and puts it in the place of an old one, which is never seen half written.
    package static func replace(_ path: String, with text: String, mode: UInt32) throws {
        let temporary = "\(path).new"
        unlink(temporary)
        let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        let bytes = Array(text.utf8)
        // Whatever the umask took away is given back.
        guard fchmod(file.rawValue, mode) == 0, pwrite(file.rawValue, bytes, bytes.count, 0) == bytes.count,
            fsync(file.rawValue) == 0, rename(temporary, path) == 0
        else { throw lastPOSIXError() }
    }

    /// A file without a name, for the output of a short program: unlike a pipe it never fills up.
    package static func anonymous() throws -> FileDescriptor {
        var template = Array("/tmp/parley-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw lastPOSIXError() }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return FileDescriptor(owning: descriptor)
    }

    /// The two ends of a new pipe, each closed in every child process.
    package static func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw lastPOSIXError() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    }

    /// The text of the file from an offset on, at most the last 16 KiB of it.
    package func text(from start: Int = 0) -> String {
        let end = Int(lseek(rawValue, 0, SEEK_END))
        let offset = max(start, end - 16_384)
        guard offset >= 0, end > offset else { return "" }
        var bytes = [UInt8](repeating: 0, count: end - offset)
        let count = pread(rawValue, &bytes, bytes.count, off_t(offset))
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    package var size: Int {
        var status = stat()
        return fstat(rawValue, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The open files of this process that a child would inherit.
    package static var inheritable: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { descriptor in
            let flags = fcntl(descriptor, F_GETFD)
            return flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }
}

/// The error that the last failed system call of this thread left behind.
func lastPOSIXError() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
}
