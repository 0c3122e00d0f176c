import Foundation
import Synchronization

/// Shows on standard error how far a phase is: a bar on a terminal, a line every few seconds elsewhere.
final class Progress: Sendable {
    private struct State {
        var phase = ""
        var total = 0
        var done = 0
        /// How long the phase takes, where it ends by the clock.
        var length: Double?
        var started = ContinuousClock.now
        var shown = ContinuousClock.now
        var isOpen = false
    }

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    func begin(_ phase: String, total: Int) {
        begin(State(phase: phase, total: total, isOpen: true))
    }

    /// A phase that ends by the clock, whatever has been done by then.
    func begin(_ phase: String, lasting length: Duration) {
        begin(State(phase: phase, length: length.seconds, isOpen: true))
    }

    func advance(by count: Int = 1) {
        change { $0.done += count }
    }

    /// Says how much has been done in all.
    func advance(to count: Int) {
        change { $0.done = count }
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

    private func begin(_ next: State) {
        end()
        let text = state.withLock { state in
            state = next
            return render(state)
        }
        show(text)
    }

    private func change(_ body: (inout State) -> Void) {
        let text: String? = state.withLock { state in
            body(&state)
            guard ContinuousClock.now - state.shown > .milliseconds(isTerminal ? 100 : 5000) else { return nil }
            state.shown = .now
            return render(state)
        }
        if let text { show(text) }
    }

    private func render(_ state: State) -> String {
        let elapsed = (ContinuousClock.now - state.started).seconds
        let rate = elapsed > 0 ? Double(state.done) / elapsed : 0
        var text = state.phase + ": \(state.done)" + (state.length == nil ? "/\(state.total)" : "")
        let share: Double
        if let length = state.length {
            share = length > 0 ? min(elapsed / length, 1) : 1
        } else {
            share = state.total > 0 ? min(Double(state.done) / Double(state.total), 1) : 1
        }
        if elapsed > 0.5, state.done > 0 || state.length != nil {
            text += ", \(String(format: "%.0f", rate))/s"
            text += state.isOpen ? left(state, elapsed: elapsed, rate: rate) : ", \(String(format: "%.1f", elapsed)) s"
        }
        guard isTerminal else { return text }
        let filled = Int(24 * share)
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: 24 - filled) + "] " + text
    }

    private func left(_ state: State, elapsed: Double, rate: Double) -> String {
        if let length = state.length { return ", \(Int(max(length - elapsed, 0).rounded(.up))) s left" }
        return rate > 0 ? ", \(Int(Double(max(state.total - state.done, 0)) / rate)) s left" : ""
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
