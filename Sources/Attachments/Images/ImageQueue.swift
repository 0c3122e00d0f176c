import Synchronization

/// Lets so many through at once, and the others wait in their order.
final class ImageQueue: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, any Error>] = []
    }

    private let state: Mutex<State>
    private let mostWaiting: Int

    init(width: Int, mostWaiting: Int) {
        state = Mutex(State(free: width))
        self.mostWaiting = mostWaiting
    }

    /// - Throws: `overloaded` where too many wait.
    func pass<T>(_ body: () async throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let turn = state.withLock { state -> Result<Void, AttachmentError>? in
                if state.free > 0 {
                    state.free -= 1
                    return .success(())
                }
                guard state.waiting.count < mostWaiting else { return .failure(.overloaded) }
                state.waiting.append(continuation)
                return nil
            }
            if let turn { continuation.resume(with: turn) }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }

    var waiting: Int { state.withLock { $0.waiting.count } }
}
