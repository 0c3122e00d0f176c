import Foundation

/// Defaults that follow the machine.
enum Cores {
    /// Asked for once: Foundation reads several files of the system for it.
    static let count = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// All cores but one, as the default of a setting: at least 1.
    ///
    /// For work that keeps a core busy as long as there is any: however far it stands back, who sends and PostgreSQL wait for
    /// the end of a slice where every core has one running. With both of 2 cores at photos p99 of send → SSE was 3.2 times that
    /// without them.
    static var allButOne: String { String(max(1, count - 1)) }

    /// One for so many cores, as the default of a setting: at least 1, at most 8.
    ///
    /// More lines of work than the cores can serve make more, smaller transactions of the same work: on 2 cores 4 lanes
    /// made 3,280 sends a second, 2 made 3,900, and 1 made 4,450.
    static func share(_ cores: Int) -> String {
        String(max(1, min(8, count / cores)))
    }
}
