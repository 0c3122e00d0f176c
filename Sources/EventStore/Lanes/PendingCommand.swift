import EventSourcing
import Foundation

/// The entity that a command goes to.
struct EntityKey: Hashable, Sendable {
    let decider: String
    let id: UUID
}

/// A command that waits in a lane, whatever its decider.
protocol LaneCommand: AnyObject, Sendable {
    var entity: EntityKey { get }
    var partition: Int { get }
    var context: CommandContext { get }
    /// The actor's; nil for the server itself.
    var key: PersonKey? { get }
    /// The HMAC of the context's content.
    var contentHMAC: [UInt8]? { get }
    /// The epoch in which the key was read.
    var generation: Int { get }
    /// When the caller is told that the outcome is unknown.
    var deadline: ContinuousClock.Instant { get }
    func makeEntity() -> any LaneEntity
    func finish(_ result: Result<LaneOutcome, any Error>)
}

struct LaneOutcome: Sendable {
    let events: [RecordedEvent]
    let isReplay: Bool
    /// The newest event of the entity when the command was done.
    let position: Int64
}

final class PendingCommand<D: Decider>: LaneCommand {
    let command: D.Command
    let entity: EntityKey
    let partition: Int
    let context: CommandContext
    let key: PersonKey?
    let contentHMAC: [UInt8]?
    let generation: Int
    let deadline: ContinuousClock.Instant
    /// Reads the answer off the state; the last call before `finish` counts.
    let observe: @Sendable (D.State) -> Void
    private let resume: @Sendable (Result<LaneOutcome, any Error>) -> Void

    init(
        command: D.Command,
        entity: EntityKey,
        partition: Int,
        context: CommandContext,
        key: PersonKey?,
        generation: Int,
        deadline: ContinuousClock.Instant,
        observe: @escaping @Sendable (D.State) -> Void,
        resume: @escaping @Sendable (Result<LaneOutcome, any Error>) -> Void
    ) {
        self.command = command
        self.entity = entity
        self.partition = partition
        self.context = context
        self.key = key
        self.contentHMAC = key.flatMap { context.content.map($0.hmac) }
        self.generation = generation
        self.deadline = deadline
        self.observe = observe
        self.resume = resume
    }

    func makeEntity() -> any LaneEntity {
        Entity<D>(id: entity.id, partition: partition)
    }

    /// Called exactly once, by the lane that holds the command.
    func finish(_ result: Result<LaneOutcome, any Error>) {
        resume(result)
    }
}
