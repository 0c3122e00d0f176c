import Foundation
import Glibc
import Logging

/// The processes of a PostgreSQL that outlived the server which started it.
///
/// They are told by their command lines, because `/proc/PID/cwd` of another account is closed to root in containers.
/// Only processes of the account that PostgreSQL runs under count, so nobody else can pose as one.
struct LeftoverProcesses: Sendable {
    let cluster: String
    /// PostgreSQL's `cluster_name`, which its workers show as the first word of their titles.
    let name: String
    let account: ServerAccount

    /// Ends whatever still runs on the cluster: politely first, so that the next start needs no recovery.
    func end(logger: Logger) async throws {
        let remaining = find()
        if !remaining.isEmpty {
            logger.notice(
                "Stopping a PostgreSQL left over by an earlier server",
                metadata: ["processes": "\(remaining)"]
            )
        }
        if let postmaster = remaining.first(where: { $0 == PostmasterFile(cluster: cluster)?.pid }) {
            kill(postmaster, SIGINT)
            if await isEmpty(within: .seconds(30)) { return removeMisleadingFile() }
        }
        for signal in [SIGQUIT, SIGKILL] {
            for process in find() { kill(process, signal) }
            if await isEmpty(within: .seconds(5)) { return removeMisleadingFile() }
        }
        throw EmbeddedPostgresError.unusableDirectory(
            path: cluster,
            reason: "processes \(find()) of an earlier PostgreSQL cannot be ended"
        )
    }

    private func isEmpty(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !find().isEmpty {
            guard ContinuousClock.now < deadline else { return false }
            await pauseBriefly()
        }
        return true
    }

    /// PostgreSQL refuses to start where `postmaster.pid` names a living process of its account, even an unrelated one
    /// that was given the number since. Nothing runs on the cluster, so the file is stale.
    private func removeMisleadingFile() {
        guard let pid = PostmasterFile(cluster: cluster)?.pid, kill(pid, 0) == 0 else { return }
        unlink(PostmasterFile.path(inCluster: cluster))
    }

    private func find() -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { isOurs($0) }.sorted()
    }

    private func isOurs(_ pid: pid_t) -> Bool {
        var status = stat()
        guard stat("/proc/\(pid)", &status) == 0, status.st_uid == account.userID,
            let file = try? FileDescriptor.open("/proc/\(pid)/cmdline", O_RDONLY)
        else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file.rawValue, &bytes, bytes.count)
        // A dead process that nobody has reaped yet has no command line; it holds nothing any more.
        guard count > 0 else { return false }
        let words = bytes.prefix(count).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        if words.first?.hasPrefix("postgres: \(name): ") == true { return true }
        return words.first?.hasSuffix("/postgres") == true && words.dropFirst().starts(with: ["-D", cluster])
    }
}
