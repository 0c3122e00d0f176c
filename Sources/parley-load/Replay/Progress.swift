import Foundation
import Synchronization

/// Shows on standard error how far a phase is: a bar on a terminal, a line every few seconds elsewhere.
final class Progress: Sendable {
    private struct State {
        var phase = ""
        var total = 0
        var done = 0
        var started = ContinuousClock.now
        var shown = ContinuousClock.now
        var isOpen = false
    }

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    func begin(_ phase: String, total: Int) {
        end()
        let text = state.withLock { state in
            state = State(phase: phase, total: total, isOpen: true)
            return render(state)
        }
        show(text)
    }

    func advance(by count: Int = 1) {
        let text: String? = state.withLock { state in
            state.done += count
            guard ContinuousClock.now - state.shown > .milliseconds(isTerminal ? 100 : 5000) else { return nil }
            state.shown = .now
            return render(state)
        }
        if let text { show(text) }
    }

    func end() {
        let text: String? = state.withLock { state in
            guard state.isOpen else { return nil }
            state.isOpen = false
            return render(state)
        }
        guard let text else { return }
        show(text)
        if isTerminal { write("\n") }
    }

    /// A line of its own, above the bar.
    func note(_ text: String) {
        write((isTerminal ? "\r\u{1B}[K" : "") + text + "\n")
    }

    private func render(_ state: State) -> String {
        let elapsed = (ContinuousClock.now - state.started).seconds
        let rate = elapsed > 0 ? Double(state.done) / elapsed : 0
        var text = "\(state.phase): \(state.done)/\(state.total)"
        guard state.done > 0, elapsed > 0.5 else { return text }
        text += ", \(String(format: "%.0f", rate))/s"
        if state.isOpen, rate > 0 {
            text += ", \(Int(Double(max(state.total - state.done, 0)) / rate)) s left"
        } else {
            text += ", \(String(format: "%.1f", elapsed)) s"
        }
        guard isTerminal else { return text }
        let filled = state.total > 0 ? min(24 * state.done / state.total, 24) : 24
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: 24 - filled) + "] " + text
    }

    private func show(_ text: String) {
        write(isTerminal ? "\r\u{1B}[K" + text : text + "\n")
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
