import Crypto
import Foundation
import Glibc

/// Where PostgreSQL's socket lives: a directory with a short path, because the path of a socket ends at 107 bytes, named
/// after the data directory and open to one account only.
enum SocketDirectory {
    /// The name that tells this data directory's sockets and processes from all others.
    static func name(for dataDirectory: String) -> String {
        let digest = SHA256.hash(data: Data(dataDirectory.utf8)).prefix(6)
        return "parley-" + digest.map { String(format: "%02x", $0) }.joined()
    }

    /// Makes the directory, or takes over the one that an earlier start made.
    ///
    /// - Parameter runtime: a directory that the supervisor has made for this account, as systemd tells it.
    static func make(
        for dataDirectory: String,
        account: ServerAccount,
        runtime: String? = ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"]
    ) throws -> String {
        let name = name(for: dataDirectory)
        // Of a service `/tmp` may be one of its own, where no command beside it finds the socket.
        if geteuid() != 0, let runtime, !runtime.contains(":"), runtime.utf8.count < 64 {
            return try make("\(runtime)/\(name)", account: account)
        }
        if geteuid() == 0, let path = try? make("/run/\(name)", account: account) { return path }
        return try make("/tmp/\(name)-\(account.userID)", account: account)
    }

    /// `/tmp` is everyone's: another account may have put a directory or a link of this name there, which must not be
    /// trusted. One that belongs to the account and is closed to others can only be ours, since `/tmp` is sticky.
    private static func make(_ path: String, account: ServerAccount) throws -> String {
        if mkdir(path, 0o700) == 0 {
            try account.own(path)
        } else if errno != EEXIST {
            throw EmbeddedPostgresError.unusableDirectory(path: path, reason: "it cannot be created")
        }
        var status = stat()
        let isOurs =
            lstat(path, &status) == 0
            && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == account.userID
            && status.st_mode & 0o077 == 0
        guard isOurs else {
            throw EmbeddedPostgresError.unusableDirectory(path: path, reason: "another account made it; remove it")
        }
        return path
    }
}
