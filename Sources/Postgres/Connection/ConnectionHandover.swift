import Synchronization

/// Brings a new connection to the task that waits for it, unless the task has been cancelled: then the attempt goes on
/// alone to its end, and its connection is closed.
final class ConnectionHandover: Sendable {
    private typealias Continuation = CheckedContinuation<PostgresConnection, any Error>

    private enum State {
        case new
        case waiting(Continuation)
        case over
    }

    private let state = Mutex(State.new)

    /// False if the task was cancelled before; `continuation` has heard of it then.
    func expect(_ continuation: CheckedContinuation<PostgresConnection, any Error>) -> Bool {
        let isPending = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isPending { continuation.resume(throwing: CancellationError()) }
        return isPending
    }

    @Sendable
    func finish(_ result: Result<PostgresConnection, PostgresConnectionError>) {
        // A connection that nobody takes is closed by its deinit.
        takeContinuation()?.resume(with: result)
    }

    func cancel() {
        takeContinuation()?.resume(throwing: CancellationError())
    }

    private func takeContinuation() -> Continuation? {
        state.withLock { state in
            defer { state = .over }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
    }
}
