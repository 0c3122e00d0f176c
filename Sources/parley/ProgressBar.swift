import Foundation
import Synchronization

/// Shows how far long work is, with its rate and the time left: one line that is drawn over on a terminal, else a line
/// every few seconds.
final class ProgressBar: Sendable {
    private struct State {
        var drawn: ContinuousClock.Instant?
        var words: String?
    }

    private let unit: String
    private let start = ContinuousClock.now
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    /// - Parameter unit: what is counted, in the plural.
    init(unit: String) {
        self.unit = unit
    }

    /// - Parameter words: what is being done when it is not counted.
    func show(done: Int64, total: Int64, now words: String? = nil) {
        let now = ContinuousClock.now
        let interval: Duration = isTerminal ? .milliseconds(100) : .seconds(5)
        let isDue = state.withLock { state in
            let isNew = state.words != words
            if let drawn = state.drawn, now - drawn < interval, done < total, !isNew { return false }
            (state.drawn, state.words) = (now, words)
            return true
        }
        guard isDue else { return }
        let line = line(done: done, total: total, elapsed: now - start)
        write(words.map { "\(line)  \($0)" } ?? line)
    }

    /// Ends the line.
    func finish() {
        if isTerminal { FileHandle.standardError.write(Data("\n".utf8)) }
    }

    private func line(done: Int64, total: Int64, elapsed: Duration) -> String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        let rate = Double(done) / seconds
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let filled = Int(share * 30)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 30 - filled)
        let left = rate > 0 ? Double(max(0, total - done)) / rate : 0
        let counts = "\(Int(share * 100))%  \(done) of \(total) \(unit)"
        return "[\(bar)] \(counts)  \(Int(rate))/s  \(Int(left.rounded(.up))) s left"
    }

    private func write(_ line: String) {
        let text = isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n"
        FileHandle.standardError.write(Data(text.utf8))
    }
}
