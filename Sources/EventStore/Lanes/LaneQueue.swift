import Postgres
import Synchronization

/// What waits in front of a lane, bounded: commands in line, and commands whose aggregates are still being loaded.
///
/// Where many receipts come, they gather for some milliseconds, so that one event and one commit serve them all. A receipt that
/// comes alone does not wait. What may not share an event goes at once: alone where the lane rests, as it would be slower with
/// others; where the lane is busy it takes along what gathers.
final class LaneQueue: Sendable {
    /// The queue without its waiting.
    struct State {
        var line: [PendingCommand] = []
        /// When the line is to be taken; nil where it is empty.
        var dueAt: ContinuousClock.Instant?
        /// When what gathers is to be taken; nil where nothing gathers.
        var gatheredAt: ContinuousClock.Instant?
        /// Whether commands that may be merged have lately come together, so that waiting for more is worth it.
        var isCrowded = false
        /// When the next timer goes off; nil where none is set.
        var timerAt: ContinuousClock.Instant?
        var held: [AggregateKey: [PendingCommand]] = [:]
        var heldCount = 0
        fileprivate var taker: CheckedContinuation<Void, Never>?
        var isClosed = false

        func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
            guard let dueAt else { return isClosed && heldCount == 0 }
            return isClosed || dueAt <= now
        }

        mutating func append(_ command: PendingCommand, at now: ContinuousClock.Instant = .now) {
            line.append(command)
            let window = isCrowded ? command.mergeWindow : .zero
            let due = now + window
            if window > .zero { gatheredAt = min(gatheredAt ?? due, due) }
            dueAt = min(dueAt ?? due, due)
        }

        /// When a timer is to be set for who waits; nil where none is needed, or an earlier one will go off.
        mutating func takeTimer() -> ContinuousClock.Instant? {
            guard taker != nil, let dueAt, timerAt.map({ dueAt < $0 }) ?? true else { return nil }
            timerAt = dueAt
            return dueAt
        }

        /// Takes everything in line, at most `limit`, where it is due.
        ///
        /// - Parameter hasRested: leaves what gathers to its time where something else is due.
        mutating func take(
            limit: Int,
            hasRested: Bool,
            at now: ContinuousClock.Instant = .now
        ) -> [PendingCommand] {
            guard isDue(at: now) else { return [] }
            if hasRested, let gatheredAt, gatheredAt > now, line.contains(where: { !$0.isMergeable }) {
                let alone = take(where: { !$0.isMergeable }, limit: limit)
                dueAt = line.contains { !$0.isMergeable } ? now : gatheredAt
                return alone
            }
            let hasGathered = gatheredAt != nil
            let batch = Array(line.prefix(limit))
            line.removeFirst(batch.count)
            dueAt = line.isEmpty ? nil : now
            gatheredAt = nil
            let mergeable = batch.count(where: \.isMergeable)
            if mergeable > 1 {
                isCrowded = true
            } else if mergeable == batch.count, hasGathered {
                isCrowded = false
            }
            return batch
        }

        /// Takes commands out of the line, due or not, at most `limit`.
        mutating func take(where isTaken: (PendingCommand) -> Bool, limit: Int) -> [PendingCommand] {
            var (taken, rest): ([PendingCommand], [PendingCommand]) = ([], [])
            for command in line {
                if taken.count < limit, isTaken(command) { taken.append(command) } else { rest.append(command) }
            }
            line = rest
            if line.isEmpty { (dueAt, gatheredAt) = (nil, nil) }
            return taken
        }

        mutating func release(_ key: AggregateKey) -> [PendingCommand] {
            let commands = held.removeValue(forKey: key) ?? []
            heldCount -= commands.count
            return commands
        }

        /// Whoever takes is to be woken where there is something to take, or nothing will come any more.
        mutating func takeTaker() -> CheckedContinuation<Void, Never>? {
            guard taker != nil, isDue() else { return nil }
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
        let (accepted, taker, timer) = state.withLock { state in
            guard !state.isClosed, state.line.count + state.heldCount < capacity else {
                return (false, nil as CheckedContinuation<Void, Never>?, nil as ContinuousClock.Instant?)
            }
            state.append(command)
            return (true, state.takeTaker(), state.takeTimer())
        }
        taker?.resume()
        if let timer { wake(at: timer) }
        return accepted
    }

    /// Everything in line, at most `limit`; suspends while nothing is due. Nil once closed and nothing can come any more.
    func take(limit: Int) async -> [PendingCommand]? {
        var hasRested = false
        while true {
            let (batch, isDone) = state.withLock { state in
                let batch = state.take(limit: limit, hasRested: hasRested)
                return (batch, batch.isEmpty && state.line.isEmpty && state.isClosed && state.heldCount == 0)
            }
            if !batch.isEmpty { return batch }
            if isDone { return nil }
            hasRested = true
            await withCheckedContinuation { continuation in
                let (taker, timer) = state.withLock { state in
                    state.taker = continuation
                    return (state.takeTaker(), state.takeTimer())
                }
                taker?.resume()
                if let timer { wake(at: timer) }
            }
        }
    }

    /// What `isTaken` says of what is in line, at most `limit`; none where nothing is.
    func take(where isTaken: (PendingCommand) -> Bool, limit: Int) -> [PendingCommand] {
        state.withLock { $0.take(where: isTaken, limit: limit) }
    }

    /// Whether something can be taken now.
    var isDue: Bool { state.withLock { $0.isDue() } }

    private func wake(at time: ContinuousClock.Instant) {
        PostgresThread.schedule(after: ContinuousClock.now.duration(to: time)) { [weak self] in
            guard let self else { return }
            let (taker, timer) = state.withLock { state in
                // One that an earlier one has overtaken does nothing to it.
                if state.timerAt == time { state.timerAt = nil }
                // Where it was a little early, or the line has been taken since, there is another to set.
                return (state.takeTaker(), state.takeTimer())
            }
            taker?.resume()
            if let timer { wake(at: timer) }
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
            PostgresThread.schedule(after: ContinuousClock.now.duration(to: deadline)) { [weak self] in
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
        let (taker, timer) = state.withLock { state in
            for command in state.release(key) { state.append(command) }
            return (state.takeTaker(), state.takeTimer())
        }
        taker?.resume()
        if let timer { wake(at: timer) }
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
