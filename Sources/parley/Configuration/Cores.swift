import Foundation

/// Defaults that follow the machine.
enum Cores {
    /// One for so many cores, as the default of a setting: at least 1, at most 8.
    ///
    /// More lines of work than the cores can serve make more, smaller transactions of the same work: on 2 cores, one lane
    /// and one projector instead of two each took a fifth off the cost of a send.
    static func share(_ cores: Int) -> String {
        String(max(1, min(8, ProcessInfo.processInfo.activeProcessorCount / cores)))
    }
}
