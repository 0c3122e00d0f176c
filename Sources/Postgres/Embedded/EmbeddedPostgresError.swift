/// Why the private PostgreSQL cannot serve, in words for the person who started it.
package enum EmbeddedPostgresError: Error, Hashable, CustomStringConvertible {
    /// No installation that fits; the text says what was looked for.
    case notInstalled(String)
    /// Another server holds the data directory.
    case inUse(directory: String, holder: String)
    /// The data directory or the socket directory cannot be used.
    case unusableDirectory(path: String, reason: String)
    /// A program of PostgreSQL's failed; with the end of what it printed.
    case failed(program: String, status: ExitStatus, output: String)
    /// ``EmbeddedPostgres/requestStop()`` came before the start was over.
    case stopped

    package var description: String {
        switch self {
        case .notInstalled(let reason):
            "no PostgreSQL to run: \(reason)"
        case .inUse(let directory, let holder):
            "the data directory \(directory) is in use by another server\(holder)"
        case .unusableDirectory(let path, let reason):
            "the directory \(path) cannot be used: \(reason)"
        case .failed(let program, let status, let output):
            "\(program) ended with \(status): \(output)"
        case .stopped:
            "stopped while PostgreSQL was starting"
        }
    }
}
