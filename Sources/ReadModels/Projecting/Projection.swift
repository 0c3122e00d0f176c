package import EventSourcing
package import Postgres

/// A read model's way from events to rows: the changes of a batch, folded to one per key, and the few set-based
/// statements that write them.
///
/// Folding does no IO and reads no clock: the tables depend on the events alone, not on where the batches ended. A
/// projection reads no table of another one, but where it says so.
package protocol Projection: Sendable {
    /// The name in metrics, logs and the table `parked`; never renamed.
    static var name: String { get }

    /// Raised when the projection makes other rows of the same events: those that are there stay as they are until a
    /// rebuild makes them anew.
    static var version: Int { get }

    /// The streams that the projection follows. So few that to compare each takes less than a set's hash, for every event.
    static var categories: [StreamCategory] { get }

    /// The tables that it fills, and nobody else.
    static var tables: [ReadTable] { get }

    /// The projections whose tables it reads.
    static var reads: Set<String> { get }

    /// No changes.
    init()

    /// Adds the next event of the partition.
    mutating func fold(_ event: ProjectedEvent)

    /// Takes new rows out of the changes, which COPY writes before the statements run: for tables that nobody else writes to.
    /// What makes them is the statements' business otherwise.
    mutating func takeRows(for schema: ReadSchema) -> CopyRows?

    /// The statements that write the changes, in the order in which they must run.
    ///
    /// Rows travel column by column, in arrays that are of one length, as each is made of the same rows. What inserts them
    /// unnests each in the list of a SELECT, where they advance in step: `FROM unnest(…, …)` would keep every column in a
    /// store of its own first, at four times the cost.
    func statements(in schema: ReadSchema) -> [SQL]
}

extension Projection {
    package static var reads: Set<String> { [] }

    package mutating func takeRows(for schema: ReadSchema) -> CopyRows? { nil }
}

/// The read models, all of which share one checkpoint per partition; who reads the table of another comes after it.
enum Projections {
    static let all: [any Projection.Type] = [
        MessagesProjection.self, ConversationListProjection.self, UnreadCountsProjection.self, ReceiptsProjection.self,
        UsersProjection.self, ReactionsProjection.self, SystemMessagesProjection.self, BlocksProjection.self,
        HiddenMessagesProjection.self,
        SearchProjection.self,
    ]
}
