import EventSourcing
import Foundation
import Postgres

/// One round of a lane: what its entities decided, and what the log made of it.
struct LaneRound {
    let entities: [EntityKey: any LaneEntity]
    private(set) var items: [LogWriter.Item] = []
    /// What must be read before refusals are answered; empty where nothing is in doubt.
    private(set) var checks: [SQL] = []
    /// Events that are in the log now, in order.
    private(set) var recorded: [RecordedEvent] = []
    private(set) var settled: [(key: EntityKey, entity: any LaneEntity)] = []
    /// Entities whose memory is behind or ahead of the log.
    private(set) var stale: [EntityKey] = []
    /// Refusals and empty decisions that the log has confirmed.
    private(set) var confirmed: [EntityBatch.Unconfirmed] = []
    /// Commands for another round.
    private(set) var again: [any LaneCommand] = []

    private struct Part {
        let key: EntityKey
        let entity: any LaneEntity
        let commands: [any LaneCommand]
        let batch: EntityBatch
        /// Which of `items` are the entity's.
        let items: Range<Int>
        /// Where its heads stand in the confirmation.
        let heads: Range<Int>
    }

    private var parts: [Part] = []

    init(commands: [any LaneCommand], entities: [EntityKey: any LaneEntity]) {
        self.entities = entities
        var order: [EntityKey] = []
        var lines: [EntityKey: [any LaneCommand]] = [:]
        for command in commands {
            if lines[command.entity, default: []].isEmpty { order.append(command.entity) }
            lines[command.entity, default: []].append(command)
        }
        var checked: [any LaneEntity] = []
        var inDoubt: [any LaneCommand] = []
        var heads = 0
        for key in order {
            guard let entity = entities[key], let line = lines[key] else { continue }
            let batch = entity.decide(line)
            let first = items.count
            items += batch.events.map { LogWriter.Item(entity: entity, proposed: $0) }
            let firstHead = heads
            if batch.needsConfirmation {
                checked.append(entity)
                inDoubt += batch.unconfirmed.map(\.command)
                heads += entity.streams.count
            }
            parts.append(
                Part(
                    key: key,
                    entity: entity,
                    commands: line,
                    batch: batch,
                    items: first..<items.count,
                    heads: firstHead..<heads
                )
            )
        }
        if !checked.isEmpty { checks = LogWriter.check(entities: checked, commands: inDoubt) }
    }

    /// Sorts out every command: answers what the log accepted, keeps the confirmed refusals, sends the rest around again.
    mutating func settle(outcomes: [LogWriter.Outcome], confirmation: Confirmation?) {
        for part in parts {
            for failure in part.batch.failed { failure.command.finish(.failure(failure.error)) }
            guard let placed = place(part, outcomes) else {
                // A conflict or a duplicate left the whole entity out.
                stale.append(part.key)
                let failed = Set(part.batch.failed.map { ObjectIdentifier($0.command) })
                again += part.commands.filter { !failed.contains(ObjectIdentifier($0)) }
                continue
            }
            let isFresh = self.isFresh(part, placed, confirmation)
            answerAccepted(part, placed, isFresh: isFresh)
            again += part.batch.repeated
            if isFresh {
                part.entity.committed(versions: placed.versions, position: placed.position)
                settled.append((part.key, part.entity))
                confirmed += part.batch.unconfirmed
            } else {
                stale.append(part.key)
                again += part.batch.unconfirmed.map(\.command)
            }
        }
        recorded.sort { ($0.partition, $0.position) < ($1.partition, $1.position) }
    }

    private struct Placed {
        var events: [RecordedEvent] = []
        /// The entity's versions after the append, if nobody else wrote to its streams.
        var versions: [Int64]
        var position: Int64
        var isContiguous = true
    }

    /// The entity's events as recorded, or nil where it was left out.
    private func place(_ part: Part, _ outcomes: [LogWriter.Outcome]) -> Placed? {
        var placed = Placed(versions: part.entity.versions, position: part.entity.position)
        for index in part.items {
            guard outcomes.indices.contains(index), case .appended(let position, let version) = outcomes[index] else {
                return nil
            }
            let proposed = items[index].proposed
            if version != placed.versions[proposed.streamIndex] + 1 { placed.isContiguous = false }
            placed.versions[proposed.streamIndex] = version
            placed.position = max(placed.position, position)
            placed.events.append(proposed.recorded(partition: part.entity.partition, position, version))
        }
        return placed
    }

    /// Whether the memory that was decided on was all that the log had.
    private func isFresh(_ part: Part, _ placed: Placed, _ confirmation: Confirmation?) -> Bool {
        guard placed.isContiguous else { return false }
        guard part.batch.needsConfirmation else { return true }
        guard let confirmation, part.heads.upperBound <= confirmation.heads.count else { return false }
        // The check may have run before or after this round's own append.
        return zip(confirmation.heads[part.heads], zip(part.entity.versions, placed.versions)).allSatisfy { head, own in
            head == own.0 || head == own.1
        }
    }

    private mutating func answerAccepted(_ part: Part, _ placed: Placed, isFresh: Bool) {
        recorded += placed.events
        for accepted in part.batch.accepted {
            // A command whose answer hangs on fresh state goes around again; what it did is safe to repeat.
            if accepted.wantsFreshState, !isFresh {
                again += accepted.commands
                continue
            }
            let events = Array(placed.events[accepted.events])
            let outcome = LaneOutcome(events: events, isReplay: false, position: events.last?.position ?? 0)
            for command in accepted.commands { command.finish(.success(outcome)) }
        }
    }
}

extension ProposedEvent {
    fileprivate func recorded(partition: Int, _ position: Int64, _ version: Int64) -> RecordedEvent {
        RecordedEvent(
            partition: partition,
            position: position,
            stream: stream,
            version: version,
            commandID: commandID,
            ordinal: ordinal,
            actor: actor,
            correlationID: correlationID,
            causationID: nil,
            recordedAt: recordedAt,
            body: .event(event),
            size: payload.count + (sealed?.bytes.count ?? 0)
        )
    }
}
