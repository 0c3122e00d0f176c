import Foundation
import Synchronization

/// Wakes the one who waits for a time, also when an earlier one comes up meanwhile.
package final class Alarm: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// For when it is set; nil while nobody waits, who is to look again then.
        var time: Date?
        var isRung = false
        var isClosed = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    package init() {}

    /// Whether nobody is to be woken for anything any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Wakes whoever waits for a later time.
    func set(for time: Date) {
        ring { state in state.time.map { time < $0 } ?? true }
    }

    /// Wakes whoever waits, once and for all.
    func close() {
        ring { state in
            state.isClosed = true
            return true
        }
    }

    /// Waits until a time has come, or one that was set meanwhile may have.
    func wait(until time: Date, for pause: Duration) async {
        state.withLock { $0.time = time }
        await withTaskGroup(of: Void.self) { group in
            // Ends early only by cancellation, which ends the other, too.
            group.addTask { try? await Task.sleep(for: pause) }
            group.addTask { await self.rung() }
            await group.next()
            group.cancelAll()
        }
        state.withLock { $0.time = nil }
    }

    private func rung() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isRung || Task.isCancelled {
                        state.isRung = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
    }

    private func ring(if isDue: (inout State) -> Bool) {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard isDue(&state) else { return nil }
            defer { state.waiting = nil }
            state.isRung = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }
}
