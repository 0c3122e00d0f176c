import DequeModule
import Synchronization

/// Lets so many through at once and the others wait in order, so that a storm of returning clients leaves the database
/// room for everything else.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    init(permits: Int) {
        state = Mutex(State(free: permits))
    }

    func pass<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if let next = state.waiting.popFirst() { return next }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
