import EventSourcing
import Foundation

/// One round of a lane: commands, and what their aggregates decided. `resolve` says what became of them.
struct Round {
    /// The events of all aggregates, in order.
    private(set) var events: [ProposedEvent] = []
    private var parts: [Part] = []

    private struct Part {
        let key: AggregateKey
        let aggregate: any AnyAggregate
        let commands: [PendingCommand]
        let decisions: [Decision]
        /// Which of the round's events are the aggregate's.
        let events: Range<Int>
        var standing = Standing.confirmed
    }

    /// What shows that an aggregate was all that the log had when it decided.
    private enum Standing {
        /// It is known, or does not matter.
        case confirmed
        /// Nobody else has appended to its partition since it was read: an append right behind the known head shows it.
        case shownByAppend
        /// The heads of its streams must be asked for; they stand there in the doubts.
        case inDoubt(Range<Int>)
    }

    /// What is known of the aggregates that a round decides on.
    enum Knowledge {
        /// They are all that the log has.
        case all
        /// They are what the lane remembers, and these are the heads that it knows.
        case remembered(KnownHeads)
    }

    /// What must be read before it can be said what became of the round: aggregates that may be behind the log, and commands
    /// that it may have already.
    private(set) var doubts = Doubts()

    /// - Parameter commands: in order; those whose aggregate is not given are left out.
    init(_ commands: [PendingCommand], on aggregates: [AggregateKey: any AnyAggregate], knowing knowledge: Knowledge) {
        var order: [AggregateKey] = []
        var lines: [AggregateKey: [PendingCommand]] = [:]
        for command in commands where aggregates[command.aggregate] != nil {
            if lines[command.aggregate, default: []].isEmpty { order.append(command.aggregate) }
            lines[command.aggregate, default: []].append(command)
        }
        for key in order {
            guard let aggregate = aggregates[key], let line = lines[key] else { continue }
            let decisions = aggregate.decide(line)
            let first = events.count
            events += decisions.events
            parts.append(
                Part(
                    key: key,
                    aggregate: aggregate,
                    commands: line,
                    decisions: decisions.byCommand,
                    events: first..<events.count
                )
            )
        }
        if case .remembered(let heads) = knowledge { noteDoubts(given: heads) }
    }

    private mutating func noteDoubts(given heads: KnownHeads) {
        let written = Set(events.map(\.partition))
        for index in parts.indices {
            let part = parts[index]
            doubts.add(possibleReplays: part.commands, part.decisions)
            guard part.decisions.contains(where: \.needsFreshState) else { continue }
            let streak = part.aggregate.streak
            if streak != nil, streak == heads.streak(of: part.aggregate.partition),
                written.contains(part.aggregate.partition)
            {
                parts[index].standing = .shownByAppend
            } else {
                parts[index].standing = .inDoubt(doubts.add(streamsOf: part.aggregate))
            }
        }
    }

    /// The highest log format of its events; nil where it has none.
    var format: Int? { events.lazy.map(\.kind.format).max() }

    /// The commands from which events of such formats follow.
    func commands(of formats: (Int) -> Bool) -> [(command: PendingCommand, aggregate: any AnyAggregate)] {
        parts.flatMap { part in
            zip(part.commands, part.decisions).compactMap { command, decision in
                guard case .events(let own, _) = decision,
                    own.contains(where: { formats(events[part.events.lowerBound + $0].kind.format) })
                else { return nil }
                return (command, part.aggregate)
            }
        }
    }

    /// Says what became of each command, once the log has said what it made of the events. Changes nothing.
    func resolve(_ appended: Appended, _ answer: DoubtsAnswer) -> Resolution {
        var resolution = Resolution()
        for part in parts {
            guard let placed = place(part, appended.outcomes) else {
                // A conflict or a duplicate left the whole aggregate out.
                let isKnown = appended.outcomes[part.events].contains(.duplicate)
                resolution.add(
                    part.commands,
                    of: part.aggregate,
                    part.decisions.map { $0.withoutAppend(mayHaveHappened: isKnown) }
                )
                let isContended = appended.outcomes[part.events].contains(.conflict)
                resolution.behind.append((part.aggregate, part.key, isContended))
                continue
            }
            let (isFresh, isBehind) = judge(part, placed, appended, answer)
            let wasAsked = if case .inDoubt = part.standing { true } else { false }
            resolution.recorded += placed.events
            resolution.add(
                part.commands,
                of: part.aggregate,
                zip(part.commands, part.decisions).map { $1.verdict(for: $0, placed, isFresh, answer) }
            )
            if isBehind {
                resolution.behind.append((part.aggregate, part.key, isContended: true))
            } else {
                resolution.current.append(
                    Resolution.Current(
                        key: part.key,
                        aggregate: part.aggregate,
                        versions: placed.versions,
                        position: placed.position,
                        isConfirmed: isFresh && wasAsked
                    )
                )
            }
        }
        resolution.recorded.sort { ($0.partition, $0.position) < ($1.partition, $1.position) }
        return resolution
    }

    /// Whether an aggregate was all that the log had when it decided, and whether it is known to be behind.
    private func judge(
        _ part: Part,
        _ placed: Placed,
        _ appended: Appended,
        _ answer: DoubtsAnswer
    ) -> (isFresh: Bool, isBehind: Bool) {
        switch part.standing {
        case _ where !placed.isContiguous: (false, true)
        case .confirmed: (true, false)
        // Somebody else has appended to the partition, to whichever stream: whoever asked is decided again.
        case .shownByAppend: (appended.isBehindKnownHeads, false)
        case .inDoubt(let doubts):
            if answer.confirms(doubts, before: part.aggregate, after: placed) { (true, false) } else { (false, true) }
        }
    }

    /// The aggregate's events as the log holds them now, or nil where it was left out.
    private func place(_ part: Part, _ outcomes: [AppendOutcome]) -> Placed? {
        var placed = Placed(versions: part.aggregate.versions, position: part.aggregate.position)
        for index in part.events {
            guard outcomes.indices.contains(index), case .appended(let position, let version) = outcomes[index] else {
                return nil
            }
            let event = events[index]
            if version != placed.versions[event.streamIndex] + 1 { placed.isContiguous = false }
            placed.versions[event.streamIndex] = version
            placed.position = max(placed.position, position)
            placed.events.append(event.recorded(at: position, version: version))
        }
        return placed
    }
}

/// The events of one aggregate, in the log.
struct Placed {
    var events: [RecordedEvent] = []
    /// The aggregate's versions after the append, if nobody else wrote to its streams.
    var versions: [Int64]
    var position: Int64
    var isContiguous = true
}

extension Decision {
    /// Whether the answer hangs on there being nothing newer in the log.
    fileprivate var needsFreshState: Bool {
        switch self {
        case .unchanged, .refused, .events(_, needsFreshState: true): true
        case .events, .failed, .repeated: false
        }
    }

    /// Where the aggregate's events were not appended: nothing is known but what failed before.
    ///
    /// - Parameter mayHaveHappened: whether the log has one of the aggregate's commands already.
    fileprivate func withoutAppend(mayHaveHappened: Bool) -> Verdict {
        if case .failed(let error) = self { .failed(error) } else { .again(mayHaveHappened: mayHaveHappened) }
    }

    fileprivate func verdict(
        for command: PendingCommand,
        _ placed: Placed,
        _ isFresh: Bool,
        _ answer: DoubtsAnswer
    ) -> Verdict {
        switch self {
        // What it did is safe to repeat.
        case .events(_, needsFreshState: true) where !isFresh: .again(mayHaveHappened: true)
        case .events(let events, _): .accepted(Array(placed.events[events]))
        case .failed(let error): .failed(error)
        case .repeated: .again(mayHaveHappened: true)
        case .unchanged, .refused:
            if !isFresh || answer.unasked.contains(ObjectIdentifier(command)) {
                .again(mayHaveHappened: false)
            } else if let stored = answer.replays[command] {
                .replayed(stored)
            } else if case .refused(let rejection) = self {
                .failed(rejection)
            } else {
                .unchanged
            }
        }
    }
}
