import EventSourcing
import Foundation

/// What became of a command in a round.
enum Verdict {
    /// The log has its events now.
    case accepted([RecordedEvent])
    /// The log had the command before, and this is its first event.
    case replayed(StoredEvent)
    /// Nothing follows from it, and the log has said that nothing newer would change that.
    case unchanged
    /// It was refused, or could not be done.
    case failed(any Error)
    /// Another round decides: the aggregate was behind the log, or the same command was decided in this one. The log may
    /// hold its events all the same.
    case again(mayHaveHappened: Bool)

    /// What the command's caller is told; nil where there is nothing to tell yet.
    func answer(
        to command: PendingCommand,
        of aggregate: any AnyAggregate,
        catalog: EventCatalog
    ) -> Result<CommandOutcome, any Error>? {
        switch self {
        case .accepted(let events):
            return .success(CommandOutcome(events: events, isReplay: false, position: events.last?.position ?? 0))
        case .replayed(let stored):
            // What was deleted is not there to be compared: whoever sends it again is shown what became of it.
            guard stored.actor == command.context.actor,
                stored.contentHMAC == command.contentHMAC || stored.contentHMAC == []
            else { return .failure(CommandError.idConflict) }
            aggregate.show(to: command)
            let key = stored.keyID == command.key?.id ? command.key : nil
            let position = max(aggregate.position, stored.position)
            let event = stored.recorded(catalog: catalog, key: key)
            return .success(CommandOutcome(events: [event], isReplay: true, position: position))
        case .unchanged:
            return .success(CommandOutcome(events: [], isReplay: true, position: aggregate.position))
        case .failed(let error): return .failure(error)
        case .again: return nil
        }
    }
}

/// What became of a round.
struct Resolution {
    private(set) var commands: [(command: PendingCommand, aggregate: any AnyAggregate, verdict: Verdict)] = []
    /// Events that are in the log now, in its order.
    var recorded: [RecordedEvent] = []
    /// Aggregates that take their drafts, and whether the log was asked and has nothing else of them.
    var current: [Current] = []
    /// Aggregates that must be read again before they decide anything.
    var behind: [(aggregate: any AnyAggregate, key: AggregateKey, isContended: Bool)] = []

    struct Current {
        let key: AggregateKey
        let aggregate: any AnyAggregate
        /// After the round.
        let versions: [Int64]
        let position: Int64
        let isConfirmed: Bool
    }

    mutating func add(_ commands: [PendingCommand], of aggregate: any AnyAggregate, _ verdicts: [Verdict]) {
        self.commands += zip(commands, verdicts).map { (command: $0, aggregate: aggregate, verdict: $1) }
    }

    /// Adds commands that the log had before the round; those whose aggregate is not given are left out.
    mutating func add(
        _ replayed: [(command: PendingCommand, first: StoredEvent)],
        of aggregates: [AggregateKey: any AnyAggregate]
    ) {
        for (command, first) in replayed {
            guard let aggregate = aggregates[command.aggregate] else { continue }
            commands.append((command, aggregate, .replayed(first)))
        }
    }

    /// Adds commands that failed before the log was asked.
    mutating func add(_ failed: [(command: PendingCommand, aggregate: any AnyAggregate, error: any Error)]) {
        commands += failed.map { ($0.command, $0.aggregate, .failed($0.error)) }
    }
}

/// What a round must ask the log before it answers: a refusal is as strong as an acceptance.
struct Doubts {
    struct Stream {
        let partition: Int
        let id: StreamID
    }

    /// All streams of the aggregates in doubt.
    private(set) var streams: [Stream] = []
    /// Commands that are to be refused, or to change nothing, and that the log may have already.
    private(set) var commands: [PendingCommand] = []

    var isEmpty: Bool { streams.isEmpty && commands.isEmpty }

    /// Adds commands that are not accepted: the log may have them already.
    mutating func add(possibleReplays commands: [PendingCommand], _ decisions: [Decision]) {
        for (command, decision) in zip(commands, decisions) where !command.isMergeable {
            switch decision {
            case .unchanged, .refused: self.commands.append(command)
            case .events, .failed, .repeated: break
            }
        }
    }

    /// Adds all streams of an aggregate; returns where they stand.
    mutating func add(streamsOf aggregate: any AnyAggregate) -> Range<Int> {
        let first = streams.count
        streams += aggregate.streams.map {
            Stream(partition: aggregate.partition, id: StreamID($0.category, aggregate.id))
        }
        return first..<streams.count
    }
}

/// What the log said to them.
struct DoubtsAnswer: Sendable {
    /// The heads of the streams, in order.
    var heads: [Int64] = []
    var replays = Replays()
    /// Commands that the log was not asked about.
    var unasked: Set<ObjectIdentifier> = []

    /// Whether an aggregate was all that the log had when it decided.
    func confirms(_ doubts: Range<Int>, before aggregate: any AnyAggregate, after placed: Placed) -> Bool {
        guard doubts.upperBound <= heads.count else { return false }
        // The log may have been asked before or after the round's own append.
        return zip(heads[doubts], zip(aggregate.versions, placed.versions)).allSatisfy { head, own in
            head == own.0 || head == own.1
        }
    }
}

/// First events of commands that the log has, by aggregate and command.
struct Replays: Sendable {
    private struct Key: Hashable {
        let aggregate: UUID
        let command: UUID
    }

    private let events: [Key: StoredEvent]

    init(_ stored: [StoredEvent] = []) {
        events = Dictionary(stored.map { (Key(aggregate: $0.stream.id, command: $0.commandID), $0) }) { first, _ in
            first
        }
    }

    /// The first event of a command, or of another one that has taken one of its ids: that one has other content.
    subscript(_ command: PendingCommand) -> StoredEvent? {
        for id in command.context.ids {
            if let event = events[Key(aggregate: command.aggregate.id, command: id)] { return event }
        }
        return nil
    }

    /// Tells the commands that the log has from those that are new to it.
    func split(
        _ commands: [PendingCommand]
    ) -> (replayed: [(command: PendingCommand, first: StoredEvent)], new: [PendingCommand]) {
        var replayed: [(command: PendingCommand, first: StoredEvent)] = []
        var new: [PendingCommand] = []
        for command in commands {
            if let first = self[command] { replayed.append((command, first)) } else { new.append(command) }
        }
        return (replayed, new)
    }
}
