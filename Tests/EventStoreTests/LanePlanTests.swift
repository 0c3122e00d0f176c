import EventSourcing
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

@testable import EventStore

/// The plans of what lanes ask, made once per connection and maybe while the log is young: each search goes by the key that
/// is asked for.
@Suite(.database, .timeLimit(.minutes(10))) struct LanePlanTests {
    private let ada = UUID(), grace = UUID(), alan = UUID(), room = UUID()

    private var command: PendingCommand {
        PendingCommand(
            CommandRequest<ConversationDecider>(command: .leave(person: ada), observe: { _ in }),
            to: room,
            partition: 0,
            context: CommandContext(commandID: UUID(), actor: ada, now: Date()),
            key: nil,
            generation: 0,
            deadline: .now + .seconds(3_600),
            doubt: CommandDoubt(),
            resume: { _ in }
        )
    }

    @Test func `a command is searched for by its id, a state by its key`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
            for number in 1...20 { _ = try await store.send("\(number)", to: room, by: ada) }
            let configuration = EventStore.settings(
                ofLanesOn: PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
            )
            let connection = try await PostgresConnection.connect(configuration, logger: SecretWatch.logger)
            let replays = try #require(AggregateReader.replays(of: [command]).statements.first)
            let searches = try await searches(
                of: replays,
                with: "NULL, NULL, 0",
                on: connection
            )
            #expect(searches.contains { $0.contains("command_id = w.command_id") && $0.contains("stream_id = w.id") })
            let states = StateSnapshot.statement(for: [AggregateKey(decider: "conversation", id: room)])
            let keys = try await self.searches(
                of: states,
                with: "NULL, NULL",
                on: connection
            )
            #expect(keys.contains { $0.contains("entity_id = w.entity_id") })
            await connection.close()
        }
    }

    /// The conditions by which a prepared statement's plan for any parameters uses its indexes.
    private func searches(
        of statement: SQL,
        with arguments: SQL,
        on connection: PostgresConnection
    ) async throws -> [String] {
        _ = try await connection.query(statement)
        let prepared = try await connection.query(
            "SELECT name FROM pg_prepared_statements WHERE statement = \(statement.text)"
        )
        let name = try #require(try prepared.first?.decode("name", as: String.self))
        let plan = try await connection.query("EXPLAIN EXECUTE \(identifier: name)(" + arguments + ")")
        return try plan.map { try $0.decode(0, as: String.self) }.filter { $0.contains("Index Cond") }
    }
}
