import EventSourcing
import Foundation

/// The aggregate that a command goes to.
struct AggregateKey: Hashable, Sendable {
    let decider: String
    let id: UUID

    /// By the id alone: few aggregates share one, and a string takes longer to hash than these few to compare.
    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

/// A command on its way through a lane.
final class PendingCommand: Sendable {
    let aggregate: AggregateKey
    let partition: Int
    let context: CommandContext
    /// The actor's; nil for the server itself.
    let key: PersonKey?
    /// The HMAC of the context's content.
    let contentHMAC: [UInt8]?
    /// The epoch in which the key was read.
    let generation: Int
    /// When the caller stops waiting.
    let deadline: ContinuousClock.Instant
    /// Whether it may share an event with others: then it has no id of its own, and is safe to repeat.
    let isMergeable: Bool
    /// How long it may wait for others to share an event with; zero where it may not share one.
    let mergeWindow: Duration
    /// A `CommandRequest` of the aggregate's decider.
    let request: any AnyObject & Sendable
    /// The aggregate before its first event.
    let makeAggregate: @Sendable () -> any AnyAggregate
    private let doubt: CommandDoubt
    private let resume: @Sendable (Result<CommandOutcome, any Error>) -> Void

    init<D: Decider>(
        _ request: CommandRequest<D>,
        to id: UUID,
        partition: Int,
        context: CommandContext,
        key: PersonKey?,
        generation: Int,
        deadline: ContinuousClock.Instant,
        doubt: CommandDoubt,
        resume: @escaping @Sendable (Result<CommandOutcome, any Error>) -> Void
    ) {
        aggregate = AggregateKey(decider: D.name, id: id)
        self.partition = partition
        self.context = context
        self.key = key
        contentHMAC = key.flatMap { context.content.map($0.hmac) }
        self.generation = generation
        self.deadline = deadline
        self.doubt = doubt
        isMergeable = D.merge(request.command, request.command) != nil
        mergeWindow = isMergeable ? D.mergeWindow(of: request.command) : .zero
        self.request = request
        makeAggregate = { Aggregate<D>(id: id, partition: partition) }
        self.resume = resume
    }

    /// Whether a try, in this epoch or an earlier one, may have taken effect.
    var mayHaveHappened: Bool { doubt.isRaised }

    /// Takes note that a try may have taken effect: it ended without an answer of the database, or with one that shows
    /// the command's events, but not yet what follows from them.
    func noteUnknownOutcome() {
        doubt.raise()
    }

    /// Ends a command that was not done, as far as is known.
    func endUndone(_ reason: CommandError) {
        finish(.failure(mayHaveHappened ? .unavailable : reason))
    }

    /// Called exactly once: by `Lane.answer`, or by whoever could not put the command in line.
    func finish(_ result: Result<CommandOutcome, any Error>) {
        resume(result)
    }
}

/// What a command asks of its decider. A class, because to find out that an object is one takes a fraction of what it takes
/// for a value of any type.
final class CommandRequest<D: Decider>: Sendable {
    let command: D.Command
    /// Reads the answer off the state; the last call before the command is finished counts.
    let observe: @Sendable (D.State) -> Void

    init(command: D.Command, observe: @escaping @Sendable (D.State) -> Void) {
        self.command = command
        self.observe = observe
    }
}

/// What became of a command that was not refused.
struct CommandOutcome: Sendable {
    let events: [RecordedEvent]
    let isReplay: Bool
    /// The newest event of the aggregate when the command was done.
    let position: Int64
}
