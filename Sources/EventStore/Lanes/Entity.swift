import EventSourcing
import Foundation

final class Entity<D: Decider>: LaneEntity {
    let id: UUID
    let partition: Int
    let streams = D.streams
    private(set) var versions: [Int64]
    private(set) var position: Int64 = 0
    private var state: D.State
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
    }

    var weight: Int { D.weight(of: state) }

    func restore(_ snapshot: StateSnapshot) {
        guard snapshot.shape == D.stateShape, snapshot.versions.count == streams.count,
            // A snapshot that does not decode is as good as none: the events are all there.
            let decoded = try? JSONDecoder().decode(D.State.self, from: Data(snapshot.state))
        else { return }
        state = decoded
        versions = snapshot.versions
        position = snapshot.position
    }

    func fold(_ stored: [StoredEvent], catalog: EventCatalog) throws {
        for event in stored {
            guard let index = streams.firstIndex(where: { $0.category == event.stream.category }) else { continue }
            // The rules need no personal content, so nothing is unsealed here.
            if let decoded = try event.decode(catalog: catalog, personal: nil) as? D.Event { D.evolve(&state, decoded) }
            versions[index] = event.version
            position = max(position, event.position)
            foldedSinceSnapshot += 1
        }
    }

    func decide(_ commands: [any LaneCommand]) -> EntityBatch {
        var batch = EntityBatch()
        var seen: Set<UUID> = []
        var merged: (command: D.Command, members: [PendingCommand<D>])?
        for case let pending as PendingCommand<D> in commands {
            guard seen.insert(pending.context.commandID).inserted else {
                batch.repeated.append(pending)
                continue
            }
            if let last = merged, let both = D.merge(last.command, pending.command) {
                merged = (both, last.members + [pending])
            } else if merged == nil, D.merge(pending.command, pending.command) != nil {
                merged = (pending.command, [pending])
            } else {
                decide(pending.command, for: [pending], into: &batch)
            }
        }
        // Merged commands come last: they commute with the others.
        if let merged { decide(merged.command, for: merged.members, isMerged: true, into: &batch) }
        return batch
    }

    private func decide(
        _ command: D.Command,
        for members: [PendingCommand<D>],
        isMerged: Bool = false,
        into batch: inout EntityBatch
    ) {
        do {
            let wantsFreshState = D.wantsFreshState(command, given: state)
            let events = try D.decide(command, given: state)
            let proposed = try propose(events, for: members, isMerged: isMerged)
            for event in events { D.evolve(&state, event) }
            for member in members { member.observe(state) }
            guard !events.isEmpty else {
                batch.unconfirmed += members.map { EntityBatch.Unconfirmed(command: $0, rejection: nil) }
                return
            }
            let first = batch.events.count
            batch.events += proposed
            batch.accepted.append(
                EntityBatch.Accepted(
                    commands: members,
                    events: first..<batch.events.count,
                    wantsFreshState: wantsFreshState
                )
            )
        } catch let rejection as D.Rejection {
            batch.unconfirmed += members.map { EntityBatch.Unconfirmed(command: $0, rejection: rejection) }
        } catch {
            batch.failed += members.map { ($0, error) }
        }
    }

    private func propose(
        _ events: [D.Event],
        for members: [PendingCommand<D>],
        isMerged: Bool
    ) throws -> [ProposedEvent] {
        guard let first = members.first else { return [] }
        let proposer = Proposer(
            id: id,
            streams: streams,
            command: first,
            // Merged commands get one server-made id: they are no replays of each other, and safe to repeat.
            commandID: isMerged ? UUID() : first.context.commandID,
            isOfOneActor: members.allSatisfy { $0.context.actor == first.context.actor },
            isMerged: isMerged
        )
        var proposed: [ProposedEvent] = []
        proposed.reserveCapacity(events.count)
        for event in events { proposed.append(try proposer.propose(event, ordinal: proposed.count)) }
        return proposed
    }

    func committed(versions: [Int64], position: Int64) {
        foldedSinceSnapshot += Int(clamping: zip(versions, self.versions).reduce(0) { $0 + $1.0 - $1.1 })
        self.versions = versions
        self.position = max(self.position, position)
    }

    func observe(for command: any LaneCommand) {
        (command as? PendingCommand<D>)?.observe(state)
    }

    func snapshotIfDue() -> DueSnapshot? {
        let interval = max(Self.snapshotInterval, Self.snapshotIntervalPerWeight * weight)
        guard foldedSinceSnapshot >= interval else { return nil }
        foldedSinceSnapshot = 0
        return DueSnapshot(
            key: EntityKey(decider: D.name, id: id),
            shape: D.stateShape,
            versions: versions,
            position: position,
            state: state
        )
    }
}
