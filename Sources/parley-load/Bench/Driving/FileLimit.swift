import Glibc

/// How many connections the operating system lets this program have open.
enum FileLimit {
    /// What is open beside connections of the load.
    private static let others = 200

    /// Raises the limit as far as it goes, and returns how many connections that allows.
    @discardableResult
    static func raise() -> Int {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(files, &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(files, &limit)
        guard getrlimit(files, &limit) == 0 else { return 0 }
        return max(Int(clamping: limit.rlim_cur) - others, 0)
    }
}
