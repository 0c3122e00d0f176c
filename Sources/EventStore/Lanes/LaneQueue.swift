import Dispatch
import Synchronization

/// What waits in front of a lane, bounded: commands in line, and commands whose aggregates are still being loaded.
final class LaneQueue: Sendable {
    private struct State {
        var line: [PendingCommand] = []
        var held: [AggregateKey: [PendingCommand]] = [:]
        var heldCount = 0
        var taker: CheckedContinuation<Void, Never>?
        var isClosed = false

        mutating func release(_ key: AggregateKey) -> [PendingCommand] {
            let commands = held.removeValue(forKey: key) ?? []
            heldCount -= commands.count
            return commands
        }

        /// Whoever takes is to be woken where there is something to take, or nothing will come any more.
        mutating func takeTaker() -> CheckedContinuation<Void, Never>? {
            guard !line.isEmpty || (isClosed && heldCount == 0) else { return nil }
            defer { taker = nil }
            return taker
        }
    }

    /// One aggregate may hold this part of all places.
    private static let heldShare = 8

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds a command, or returns false when the queue is full or closed.
    func put(_ command: PendingCommand) -> Bool {
        let (accepted, taker): (Bool, CheckedContinuation<Void, Never>?) = state.withLock { state in
            guard !state.isClosed, state.line.count + state.heldCount < capacity else { return (false, nil) }
            state.line.append(command)
            return (true, state.takeTaker())
        }
        taker?.resume()
        return accepted
    }

    /// Everything in line, at most `limit`; suspends while there is nothing. Nil once closed and nothing can come any more.
    func take(limit: Int) async -> [PendingCommand]? {
        while true {
            let (batch, isDone): ([PendingCommand], Bool) = state.withLock { state in
                if state.line.count <= limit {
                    defer { state.line = [] }
                    return (state.line, state.line.isEmpty && state.isClosed && state.heldCount == 0)
                }
                let batch = Array(state.line.prefix(limit))
                state.line.removeFirst(limit)
                return (batch, false)
            }
            if !batch.isEmpty { return batch }
            if isDone { return nil }
            await withCheckedContinuation { continuation in
                let taker = state.withLock { state in
                    state.taker = continuation
                    return state.takeTaker()
                }
                taker?.resume()
            }
        }
    }

    /// Keeps commands aside until their aggregate is loaded, or their deadlines have passed.
    ///
    /// - Returns: those beyond what one aggregate may hold: the others of the lane need their places.
    func hold(_ commands: [PendingCommand], for key: AggregateKey) -> [PendingCommand] {
        let refused = state.withLock { state in
            let places = max(0, capacity / Self.heldShare - state.held[key, default: []].count)
            state.held[key, default: []] += commands.prefix(places)
            state.heldCount += min(places, commands.count)
            return Array(commands.dropFirst(places))
        }
        let latest = commands.map(\.deadline).max() ?? .now
        for deadline in Set([commands.map(\.deadline).min() ?? latest, latest]) {
            // One look at the first deadline and one at the last: none waits much longer than it was told.
            let seconds = max(0, ContinuousClock.now.duration(to: deadline).inSeconds)
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
                for command in self?.takeExpired(of: key) ?? [] {
                    command.endUndone(.loading)
                }
            }
        }
        return refused
    }

    /// Whether anybody waits for an aggregate to be loaded.
    func isAwaited(_ key: AggregateKey) -> Bool {
        state.withLock { $0.held[key] != nil }
    }

    /// Puts the commands that wait for an aggregate in line again.
    func release(_ key: AggregateKey) {
        let taker = state.withLock { state in
            state.line += state.release(key)
            return state.takeTaker()
        }
        taker?.resume()
    }

    /// Takes the commands that wait for an aggregate, which is not to be had.
    func withdraw(_ key: AggregateKey) -> [PendingCommand] {
        let (commands, taker) = state.withLock { ($0.release(key), $0.takeTaker()) }
        taker?.resume()
        return commands
    }

    private func takeExpired(of key: AggregateKey) -> [PendingCommand] {
        let (expired, taker): ([PendingCommand], CheckedContinuation<Void, Never>?) = state.withLock { state in
            let now = ContinuousClock.now
            let commands = state.release(key)
            let remaining = commands.filter { $0.deadline > now }
            if !remaining.isEmpty { state.held[key] = remaining }
            state.heldCount += remaining.count
            return (commands.filter { $0.deadline <= now }, state.takeTaker())
        }
        taker?.resume()
        return expired
    }

    /// Refuses what comes from now on; what waits is still taken.
    func close() {
        let taker = state.withLock { state in
            state.isClosed = true
            return state.takeTaker()
        }
        taker?.resume()
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
