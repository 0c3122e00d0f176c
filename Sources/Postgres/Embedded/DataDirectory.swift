import Foundation
import Glibc

/// The directory that holds everything of a server with a private PostgreSQL, held by one server at a time.
///
/// The directory itself, the lock and the master key stay this process's own; only `postgres/` belongs to the account
/// that PostgreSQL runs under, so that not even a superuser's `pg_read_file` reaches the master key.
struct DataDirectory: Sendable {
    /// Absolute, without symbolic links: what sockets are named after and what PostgreSQL's processes are told by.
    let path: String
    private let lock: FileDescriptor

    /// PostgreSQL's own files.
    var cluster: String { Self.cluster(in: path) }
    /// The settings that PostgreSQL's own configuration file includes.
    var settings: String { "\(path)/\(Self.settingsName)" }
    static let settingsName = "postgres.conf"
    /// Who may connect, and which of the system's accounts that is.
    var accessRules: String { "\(path)/postgres.hba" }
    var accountNames: String { "\(path)/postgres.ident" }
    /// What PostgreSQL and its tools print.
    var log: String { "\(path)/postgres.log" }

    /// Creates the directory if it is missing, makes it usable for `account`, and locks it.
    static func lock(_ path: String, for account: ServerAccount) throws -> DataDirectory {
        do {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw lastPOSIXError() }
        } catch {
            throw EmbeddedPostgresError.unusableDirectory(path: path, reason: "it cannot be created")
        }
        guard let resolved = canonicalPath(path) else {
            throw EmbeddedPostgresError.unusableDirectory(path: path, reason: "it cannot be reached")
        }
        let lock = try acquireLock(in: resolved)
        try letIn(account, to: resolved)
        return DataDirectory(path: resolved, lock: lock)
    }

    static func cluster(in path: String) -> String { "\(path)/postgres" }

    /// Lets another server have the directory.
    func unlock() { flock(lock.rawValue, LOCK_UN) }

    /// Whether a server holds the directory.
    static func isLocked(_ path: String) -> Bool {
        guard let lock = try? FileDescriptor.open("\(path)/lock", O_RDONLY | O_NOFOLLOW) else { return false }
        return flock(lock.rawValue, LOCK_SH | LOCK_NB) != 0
    }

    /// The path without symbolic links; nil where there is nothing.
    static func canonicalPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private init(path: String, lock: FileDescriptor) {
        self.path = path
        self.lock = lock
    }

    /// The lock is the kernel's: it ends with this process, however that ends, and no stale file can hold anyone up.
    private static func acquireLock(in path: String) throws -> FileDescriptor {
        let lock: FileDescriptor
        do {
            lock = try FileDescriptor.open("\(path)/lock", O_RDWR | O_CREAT | O_NOFOLLOW)
        } catch {
            let reason = "its lock file cannot be opened (\(error.localizedDescription))"
            throw EmbeddedPostgresError.unusableDirectory(path: path, reason: reason)
        }
        // Tried for a moment: whoever asks `isLocked` holds it as well, for as long as the question takes.
        let tries = 10
        let isLocked = (1...tries).contains { attempt in
            if flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 { return true }
            if attempt < tries { usleep(20_000) }
            return false
        }
        guard isLocked else {
            let holder = Int32(lock.text().trimmingCharacters(in: .whitespacesAndNewlines))
            throw EmbeddedPostgresError.inUse(directory: path, holder: holder.map { " (process \($0))" } ?? "")
        }
        let text = Array("\(getpid())\n".utf8)
        ftruncate(lock.rawValue, 0)
        pwrite(lock.rawValue, text, text.count, 0)
        return lock
    }

    /// Lets the account pass through the directory, and checks that it can come that far.
    private static func letIn(_ account: ServerAccount, to path: String) throws {
        guard account.isOther else { return }
        var status = stat()
        guard stat(path, &status) == 0 else { throw lastPOSIXError() }
        if !account.canPass(status) {
            if status.st_mode & 0o070 == 0 {
                // Closed to every group: pass it to the account's group, which may then enter but neither list nor write.
                guard chown(path, status.st_uid, account.groupID) == 0,
                    chmod(path, status.st_mode & 0o7777 | 0o010) == 0
                else { throw lastPOSIXError() }
            } else {
                guard chmod(path, status.st_mode & 0o7777 | 0o001) == 0 else { throw lastPOSIXError() }
            }
        }
        var ancestor = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while ancestor != "/" {
            guard stat(ancestor, &status) == 0, account.canPass(status) else {
                throw EmbeddedPostgresError.unusableDirectory(
                    path: path,
                    reason: "\(ancestor) is closed to the account that PostgreSQL runs under; choose another --data-dir"
                )
            }
            ancestor = URL(fileURLWithPath: ancestor).deletingLastPathComponent().path
        }
    }
}

extension ServerAccount {
    /// Whether the directory's mode lets the account pass through it.
    fileprivate func canPass(_ status: stat) -> Bool {
        if status.st_uid == userID { return status.st_mode & 0o100 != 0 }
        if status.st_gid == groupID { return status.st_mode & 0o010 != 0 }
        return status.st_mode & 0o001 != 0
    }
}
