import Foundation
import Glibc

/// What PostgreSQL writes about itself into `postmaster.pid`.
struct PostmasterFile: Hashable, Sendable {
    let pid: pid_t
    let socketDirectory: String
    /// Whether it accepts connections.
    let isReady: Bool

    static func path(inCluster cluster: String) -> String { "\(cluster)/postmaster.pid" }

    /// Reads the file; nil where there is none or it is not complete yet.
    init?(cluster: String) {
        guard
            let file = try? FileDescriptor.open(Self.path(inCluster: cluster), O_RDONLY | O_NOFOLLOW)
        else { return nil }
        // Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status.
        let lines = file.text().split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard let pid = lines.first.flatMap({ pid_t($0) }), pid > 0 else { return nil }
        self.pid = pid
        socketDirectory = lines.count > 4 ? lines[4] : ""
        isReady = lines.count > 7 && lines[7] == "ready"
    }
}
