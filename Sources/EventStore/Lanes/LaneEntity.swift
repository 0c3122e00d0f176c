import EventSourcing
import Foundation

/// An entity in a lane's memory, whatever its decider. Confined to its lane.
protocol LaneEntity: AnyObject {
    var id: UUID { get }
    var partition: Int { get }
    var streams: [EntityStream] { get }
    /// How far each of the streams is folded.
    var versions: [Int64] { get }
    var weight: Int { get }

    /// Starts from a snapshot's state; one of another shape leaves the entity at its beginning.
    func restore(_ snapshot: StateSnapshot)
    /// Folds events that the log holds past `versions`, in order of position.
    func fold(_ stored: [StoredEvent], catalog: EventCatalog) throws
    /// Decides commands in order against the state, which then runs ahead of the log until the batch is committed or
    /// the entity dropped.
    func decide(_ commands: [any LaneCommand]) -> EntityBatch
    /// Takes note of what the log made of the batch.
    func committed(versions: [Int64], position: Int64)
    /// Shows the state to a command that the log has already.
    func observe(for command: any LaneCommand)
    /// The position of the newest event that is folded.
    var position: Int64 { get }
    /// The state to store, when enough has been folded since the last time.
    func snapshotIfDue() -> DueSnapshot?
}

/// A stored state of an entity.
struct StateSnapshot: Sendable {
    let key: EntityKey
    let shape: Int
    let versions: [Int64]
    let position: Int64
    let state: [UInt8]
}

/// A state to be stored. It is a value of its own, and put into bytes beside the lane: that takes milliseconds where a group
/// is large.
struct DueSnapshot: Sendable {
    let key: EntityKey
    let shape: Int
    let versions: [Int64]
    let position: Int64
    let state: any Encodable & Sendable

    func encoded() throws -> StateSnapshot {
        StateSnapshot(
            key: key,
            shape: shape,
            versions: versions,
            position: position,
            state: [UInt8](try JSONEncoder().encode(state))
        )
    }
}

/// What an entity made of its commands.
struct EntityBatch {
    /// The events to append, in order.
    var events: [ProposedEvent] = []
    var accepted: [Accepted] = []
    /// To be confirmed by the log before they are answered: rejections, and commands that change nothing.
    var unconfirmed: [Unconfirmed] = []
    /// Second commands of one id in the same batch: they go around again, when the log has the first.
    var repeated: [any LaneCommand] = []
    /// Commands whose events could not be encoded.
    var failed: [(command: any LaneCommand, error: any Error)] = []

    struct Accepted {
        let commands: [any LaneCommand]
        /// Which of `events` are theirs.
        let events: Range<Int>
        /// Whether the answer hangs on there being nothing newer in the log.
        let wantsFreshState: Bool
    }

    struct Unconfirmed {
        let command: any LaneCommand
        let rejection: (any Error)?
    }

    var needsConfirmation: Bool { !unconfirmed.isEmpty || accepted.contains(where: \.wantsFreshState) }
}

/// An event that is ready to be appended.
struct ProposedEvent {
    let event: any DomainEvent
    let stream: StreamID
    /// Its stream's place among those of the entity.
    let streamIndex: Int
    let commandID: UUID
    let ordinal: Int
    let actor: UUID?
    let correlationID: UUID?
    let recordedAt: Date
    let payload: [UInt8]
    let sealed: SealedContent?
    let contentHMAC: [UInt8]?
}

/// Personal content under somebody's key.
struct SealedContent {
    let bytes: [UInt8]
    let keyID: UUID
}
