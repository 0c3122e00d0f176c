import Foundation
import Logging

/// How many files and connections the operating system lets this process have open.
enum FileLimit {
    /// What is open beside clients' connections: to the database, logs, libraries.
    private static let others = 500

    /// Raises the limit as far as it goes, where it is too low for so many connections; says so where that is not enough.
    static func raise(for connections: Int, logger: Logger) {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return }
        let needed = rlim_t(connections + others)
        if limit.rlim_cur < needed {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(openFiles, &limit)
            _ = getrlimit(openFiles, &limit)
        }
        guard limit.rlim_cur < needed else { return }
        logger.warning(
            "Too few open files are allowed for all connections: raise the hard limit (ulimit -n)",
            metadata: ["allowed": "\(limit.rlim_cur)", "needed": "\(needed)", "setting": "PARLEY_MAX_CONNECTIONS"]
        )
    }

    #if canImport(Glibc)
    private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let openFiles = RLIMIT_NOFILE
    #endif
}
