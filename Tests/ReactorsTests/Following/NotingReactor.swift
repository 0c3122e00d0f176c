import EventSourcing
import Foundation
import Messaging
import Postgres
import Synchronization
import TestSupport

@testable import Reactors

/// Notes each message that was sent in a table of the test's, as often as it is told of it.
struct NotingReactor: Reactor {
    let name: String
    let behaviour: Behaviour

    final class Behaviour: Sendable {
        /// What it does before it answers.
        let before = Mutex<@Sendable ([RecordedEvent]) async throws -> Void>({ _ in })
        let calls = Atomic(0)

        init() {}
    }

    init(_ name: String = "noting", _ behaviour: Behaviour = Behaviour()) {
        self.name = name
        self.behaviour = behaviour
    }

    func concerns(_ event: RecordedEvent) -> Bool { Self.message(event) != nil }

    func statements(for events: [RecordedEvent], on connection: PostgresConnection) async throws -> [SQL] {
        behaviour.calls.add(1, ordering: .relaxed)
        try await behaviour.before.withLock { $0 }(events)
        let messages = events.compactMap(Self.message)
        return [
            "INSERT INTO noted (reactor, message) SELECT \(name), m FROM unnest(\(messages)) WITH ORDINALITY AS x (m, o) ORDER BY o"
        ]
    }

    static func message(_ event: RecordedEvent) -> UUID? {
        guard case .event(let body) = event.body, case .messageSent(let sent) = body as? ConversationEvent else {
            return nil
        }
        return sent.messageID
    }

    static func createTable() async throws {
        try await TestDatabase.current.administrator.execute(
            "CREATE TABLE noted (place bigint GENERATED ALWAYS AS IDENTITY, reactor text NOT NULL, message uuid NOT NULL)"
        )
        try await TestDatabase.current.administrator.execute("GRANT SELECT, INSERT ON noted TO parley_server")
        try await Changes.watch("public", "noted")
    }

    /// In the order in which they were noted.
    func noted() async throws -> [UUID] {
        try await TestDatabase.current.pool.query("SELECT message FROM noted WHERE reactor = \(name) ORDER BY place")
            .map { try $0.decode(0) }
    }

    func positions() async throws -> [Int64] {
        try await TestDatabase.current.pool.query(
            "SELECT position FROM parley.consumers WHERE name = \(name) ORDER BY partition"
        ).map { try $0.decode(0) }
    }
}
