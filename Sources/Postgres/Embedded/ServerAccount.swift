import Foundation
import Glibc

/// The account that PostgreSQL runs under: this process's own, or an unprivileged one where this process is root,
/// because PostgreSQL refuses to run as root.
package struct ServerAccount: Hashable, Sendable {
    let userID: uid_t
    let groupID: gid_t
    /// Whether this process has to change to the account.
    let isOther: Bool

    /// Accounts that root may lend to PostgreSQL, best first. Never `nobody`: too many programs run as that, and all of them
    /// could read the files.
    private static let unprivileged = ["parley", "postgres"]

    /// Accounts that many programs run as, each of which could read a database of theirs and change it.
    private static let shared: Set = ["nobody", "nfsnobody", "daemon"]
    /// What the kernel shows for those whom it has no number for; `nobody` on most systems.
    private static let overflowID: UInt32 = 65_534

    /// Whether PostgreSQL must not run under an account, even where its files are there already.
    ///
    /// - Parameter name: nil where the account has none.
    package static func isShared(_ userID: UInt32, named name: String?) -> Bool {
        userID == overflowID || name.map { shared.contains($0) } == true
    }

    /// - Parameter cluster: where PostgreSQL's files are or will be; whoever they belong to goes on with them.
    /// - Throws: ``EmbeddedPostgresError``, also where they belong to an account that many programs run as.
    package static func current(owning cluster: String? = nil) throws -> ServerAccount {
        guard geteuid() == 0 else { return ServerAccount(userID: geteuid(), groupID: getegid(), isOther: false) }
        if let cluster, let owner = try owner(of: cluster) { return owner }
        for name in unprivileged {
            // Called while the server starts, before anything else could ask for an account in another thread.
            guard let entry = getpwnam(name), entry.pointee.pw_uid != 0 else { continue }
            return ServerAccount(userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid, isOther: true)
        }
        throw EmbeddedPostgresError.notInstalled(
            "it cannot run as root, and none of the accounts \(unprivileged.joined(separator: ", ")) exists: make one "
                + "with useradd --system parley"
        )
    }

    /// The account whose database is there, unless it is root's.
    private static func owner(of cluster: String) throws -> ServerAccount? {
        var status = stat()
        guard stat("\(cluster)/PG_VERSION", &status) == 0, status.st_uid != 0 else { return nil }
        let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
        guard !isShared(status.st_uid, named: name) else {
            let reason = """
                it belongs to \(name ?? "\(status.st_uid)"), which many programs run as, and all of them could read and \
                change it: make an account with useradd --system parley, and give it the files with \
                chown -R parley: \(cluster)
                """
            throw EmbeddedPostgresError.unusableDirectory(path: cluster, reason: reason)
        }
        return ServerAccount(userID: status.st_uid, groupID: status.st_gid, isOther: true)
    }

    /// The command that runs `program` as this account, with its own environment, in the root directory, and that gets
    /// `signal` when this process dies.
    package func command(_ program: String, _ arguments: [String], onParentDeath signal: String) throws -> [String] {
        let tail = ["/usr/bin/env", "--chdir=/", program] + arguments
        guard let setpriv = ExecutableSearch.find("setpriv") else {
            guard !isOther else {
                throw EmbeddedPostgresError.notInstalled("as root it needs the program setpriv (package util-linux)")
            }
            // Without setpriv nothing ends PostgreSQL with this process; the next start will find and stop it.
            return tail
        }
        guard isOther else { return [setpriv, "--pdeathsig", signal] + tail }
        return [
            setpriv, "--reuid=\(userID)", "--regid=\(groupID)", "--clear-groups", "--pdeathsig", signal,
        ] + tail
    }

    /// What PostgreSQL's programs see of the environment: nothing that could change where or how they run.
    package static let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"]

    /// Makes the account the owner of a directory.
    package func own(_ path: String) throws {
        guard isOther else { return }
        guard lchown(path, userID, groupID) == 0 else { throw lastPOSIXError() }
    }
}
