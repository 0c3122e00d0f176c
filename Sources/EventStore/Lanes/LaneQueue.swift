import Synchronization

/// The bounded queue in front of a lane: many tasks put in, the lane takes all that waits.
final class LaneQueue: Sendable {
    private struct State {
        var waiting: [any LaneCommand] = []
        var taker: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds a command, or returns false when the queue is full or closed.
    func put(_ command: any LaneCommand) -> Bool {
        let (accepted, taker): (Bool, CheckedContinuation<Void, Never>?) = state.withLock { state in
            guard !state.isClosed, state.waiting.count < capacity else { return (false, nil) }
            state.waiting.append(command)
            defer { state.taker = nil }
            return (true, state.taker)
        }
        taker?.resume()
        return accepted
    }

    /// Everything that waits, at most `limit`; suspends while there is nothing. Nil once closed and empty.
    func take(limit: Int) async -> [any LaneCommand]? {
        while true {
            let (batch, isDone): ([any LaneCommand], Bool) = state.withLock { state in
                if state.waiting.count <= limit {
                    defer { state.waiting = [] }
                    return (state.waiting, state.waiting.isEmpty && state.isClosed)
                }
                let batch = Array(state.waiting.prefix(limit))
                state.waiting.removeFirst(limit)
                return (batch, false)
            }
            if !batch.isEmpty { return batch }
            if isDone { return nil }
            await withCheckedContinuation { continuation in
                let goOn = state.withLock { state in
                    if !state.waiting.isEmpty || state.isClosed { return true }
                    state.taker = continuation
                    return false
                }
                if goOn { continuation.resume() }
            }
        }
    }

    /// Refuses what comes from now on; what waits is still taken.
    func close() {
        let taker = state.withLock { state in
            state.isClosed = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    var count: Int { state.withLock { $0.waiting.count } }
}
