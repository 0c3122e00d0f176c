import Synchronization

/// Lets so many through at once, and the others wait in their order.
final class ImageQueue: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let mostWaiting: Int

    init(width: Int, mostWaiting: Int) {
        state = Mutex(State(free: width))
        self.mostWaiting = mostWaiting
    }

    /// - Throws: `overloaded` where too many wait.
    func pass<T>(_ body: () async throws -> T) async throws -> T {
        let isFree: Bool? = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return true
            }
            return state.waiting.count < mostWaiting ? false : nil
        }
        guard let isFree else { throw AttachmentError.overloaded }
        if !isFree {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append(continuation)
                    return false
                }
                if isFree { continuation.resume() }
            }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
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
