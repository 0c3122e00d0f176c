import EventSourcing
import Foundation

/// The aggregate of one decider.
final class Aggregate<D: Decider>: AnyAggregate {
    let id: UUID
    let partition: Int
    let streams = D.streams
    private(set) var versions: [Int64]
    private(set) var position: Int64 = 0
    var streak: Int?
    private var state: D.State
    /// The state with what the round under way has decided.
    private var draft: D.State
    private var foldedSinceSnapshot = 0

    /// A state is stored when this many events were folded since the last time, or more for a heavy one: storing it costs
    /// about as much per member as sending a message does, and loading folds thousands of events in the time that a person
    /// notices.
    private static var snapshotInterval: Int { 512 }
    private static var snapshotIntervalPerWeight: Int { 4 }

    init(id: UUID, partition: Int) {
        self.id = id
        self.partition = partition
        versions = Array(repeating: 0, count: D.streams.count)
        state = D.initialState
        draft = state
    }

    var weight: Int { D.weight(of: state) }

    // MARK: What the log says

    func restore(_ snapshot: StateSnapshot) {
        guard snapshot.version == D.snapshotVersion, snapshot.versions.count == streams.count,
            // A snapshot that does not decode is as good as none: the events are all there.
            let decoded = try? JSONDecoder().decode(D.State.self, from: Data(snapshot.state))
        else { return }
        state = decoded
        draft = decoded
        versions = snapshot.versions
        position = snapshot.position
    }

    func fold(_ stored: [StoredEvent], catalog: EventCatalog) throws {
        defer { draft = state }
        for event in stored {
            guard let index = streams.firstIndex(where: { $0.category == event.stream.category }) else { continue }
            // The rules need no personal content, so nothing is unsealed here.
            if let decoded = try event.decode(catalog: catalog, personal: nil) as? D.Event { D.evolve(&state, decoded) }
            versions[index] = event.version
            position = max(position, event.position)
            foldedSinceSnapshot += 1
        }
    }

    func commit(versions: [Int64], position: Int64) {
        state = draft
        foldedSinceSnapshot += Int(clamping: zip(versions, self.versions).reduce(0) { $0 + $1.0 - $1.1 })
        self.versions = versions
        self.position = max(self.position, position)
    }

    func discard() {
        draft = state
    }

    // MARK: What the rules say

    func decide(_ commands: [PendingCommand]) -> Decisions {
        draft = state
        var decisions = Decisions(byCommand: Array(repeating: .repeated, count: commands.count))
        var ids: Set<UUID> = []
        var merged: (command: D.Command, places: [Int])?
        for (place, pending) in commands.enumerated() {
            guard let request = pending.request as? CommandRequest<D> else {
                preconditionFailure("a lane hands an aggregate the commands of its own decider only")
            }
            guard ids.insert(pending.context.commandID).inserted,
                pending.context.furtherIDs.allSatisfy({ ids.insert($0).inserted })
            else { continue }
            if pending.isMergeable, merged == nil {
                merged = (request.command, [place])
            } else if let last = merged, let both = D.merge(last.command, request.command) {
                merged = (both, last.places + [place])
            } else {
                decide(request.command, at: [place], of: commands, into: &decisions)
            }
        }
        // Merged commands come last: they commute with the others.
        if let merged { decide(merged.command, at: merged.places, of: commands, isMerged: true, into: &decisions) }
        return decisions
    }

    private func decide(
        _ command: D.Command,
        at places: [Int],
        of commands: [PendingCommand],
        isMerged: Bool = false,
        into decisions: inout Decisions
    ) {
        let decision: Decision
        do {
            let needsFreshState = D.needsFreshState(command, given: draft)
            let events = try D.decide(command, given: draft)
            let first = decisions.events.count
            decisions.events += try propose(events, for: places.map { commands[$0] }, isMerged: isMerged)
            for event in events { D.evolve(&draft, event) }
            decision =
                events.isEmpty
                ? .unchanged : .events(first..<decisions.events.count, needsFreshState: needsFreshState)
        } catch let rejection as D.Rejection {
            decision = .refused(rejection)
        } catch {
            decision = .failed(error)
        }
        for place in places {
            decisions.byCommand[place] = decision
            show(draft, to: commands[place])
        }
    }

    private func propose(
        _ events: [D.Event],
        for commands: [PendingCommand],
        isMerged: Bool
    ) throws -> [ProposedEvent] {
        guard let first = commands.first else { return [] }
        let proposer = Proposer(
            id: id,
            partition: partition,
            streams: streams,
            versions: versions,
            command: first,
            // Merged commands get one server-made id: they are no replays of each other, and safe to repeat.
            commandID: isMerged ? TimeOrderedID.make(at: first.context.now) : first.context.commandID,
            isOfOneActor: commands.allSatisfy { $0.context.actor == first.context.actor },
            isMerged: isMerged
        )
        var proposed: [ProposedEvent] = []
        proposed.reserveCapacity(events.count)
        for event in events { proposed.append(try proposer.propose(event, place: proposed.count)) }
        return proposed
    }

    func show(to command: PendingCommand) {
        show(state, to: command)
    }

    private func show(_ state: D.State, to command: PendingCommand) {
        (command.request as? CommandRequest<D>)?.observe(state)
    }

    // MARK: Snapshots

    func snapshot() -> DueSnapshot {
        foldedSinceSnapshot = 0
        return DueSnapshot(
            key: AggregateKey(decider: D.name, id: id),
            version: D.snapshotVersion,
            versions: versions,
            position: position,
            state: state
        )
    }

    func snapshotIfDue() -> DueSnapshot? {
        foldedSinceSnapshot >= max(Self.snapshotInterval, Self.snapshotIntervalPerWeight * weight) ? snapshot() : nil
    }
}
