import EventSourcing
import Foundation

/// An aggregate in a lane's memory, whatever its decider: a lane serves those of several. Confined to one task.
///
/// It stands where the log stood when it was last read or appended to. What a round decides is a draft until the log has
/// taken it, so memory is never ahead of the log.
protocol AnyAggregate: AnyObject {
    var id: UUID { get }
    var partition: Int { get }
    var streams: [AggregateStream] { get }
    /// How far each of the streams is folded.
    var versions: [Int64] { get }
    /// The position of the newest event that is folded.
    var position: Int64 { get }
    var weight: Int { get }
    /// The streak of its partition (``KnownHeads``) in which it was all that the log has; nil where none is known.
    var streak: Int? { get set }

    /// Starts from a stored state; one of another snapshot version leaves the aggregate at its beginning.
    func restore(_ snapshot: StateSnapshot)
    /// Folds events that the log holds past `versions`, in order of position.
    func fold(_ stored: [StoredEvent], catalog: EventCatalog) throws
    /// Decides commands in order, into a draft.
    func decide(_ commands: [PendingCommand]) -> Decisions
    /// The log has taken the draft, and nothing else came between.
    func commit(versions: [Int64], position: Int64)
    /// Forgets the draft.
    func discard()
    /// Shows the state to a command.
    func show(to command: PendingCommand)
    /// The state to store.
    func snapshot() -> DueSnapshot
    /// The state to store, when enough has been folded since the last time.
    func snapshotIfDue() -> DueSnapshot?
}

/// What an aggregate made of its commands, before the log is asked.
struct Decisions {
    /// The events to append, in order.
    var events: [ProposedEvent] = []
    /// One per command, in their order.
    var byCommand: [Decision]
}

enum Decision {
    /// - Parameter events: which of the aggregate's events are the command's.
    /// - Parameter needsFreshState: whether the answer hangs on there being nothing newer in the log.
    case events(Range<Int>, needsFreshState: Bool)
    /// Nothing follows from the command, as far as memory knows.
    case unchanged
    /// The decider's rejection, as far as memory knows.
    case refused(any Error)
    /// The events could not be encoded.
    case failed(any Error)
    /// The second command of one id in a round: it goes around again, when the log has the first.
    case repeated
}
