import Synchronization

/// Lets a limited number of callers through at once, in the order in which they came.
final class Gate: Sendable {
    private let state: Mutex<State>

    private struct State {
        var permits: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(permits: Int) {
        state = Mutex(State(permits: permits))
    }

    func pass<T>(_ body: () async throws -> T) async rethrows -> T {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard state.permits > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.permits -= 1
                return true
            }
            if isOpen { continuation.resume() }
        }
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.permits += 1
            return nil
        }
        next?.resume()
    }
}
