package import EventSourcing
package import Postgres

/// Acts on what the log tells, after the fact: it turns events into rows of its own, and others work on those.
package protocol Reactor: Sendable {
    /// What its positions stand under, for ever.
    var name: String { get }

    /// Whether it has something to do about an event. Asked of every event, so it looks at nothing but that.
    func concerns(_ event: RecordedEvent) -> Bool

    /// What to write about events, in the transaction in which its positions move past them: so each event is taken once.
    ///
    /// The transaction is rolled back where this throws, or the database refuses a statement, and tried again later.
    ///
    /// - Parameters:
    ///   - events: those that concern it, of any partitions, each partition's in order.
    ///   - connection: for reading, in the transaction.
    func statements(for events: [RecordedEvent], on connection: PostgresConnection) async throws -> [SQL]

    /// What it has written is there: whoever works on it may begin. Not called where the process ends in between.
    func hasWritten()
}

extension Reactor {
    package func hasWritten() {}
}
