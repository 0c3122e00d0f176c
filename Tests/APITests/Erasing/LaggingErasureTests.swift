import EventStore
import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// A person is erased while read models are behind what the person said.
@Suite(.database, .timeLimit(.minutes(10))) struct LaggingErasureTests {
    /// Has the read models of a partition stand still: where they come to the messages of a conversation, they fail.
    private func stop(before conversation: UUID) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.script(
                """
                CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'failed on purpose'; END $$;
                CREATE TRIGGER fail BEFORE INSERT ON read_live.messages FOR EACH ROW
                    WHEN (NEW.conversation_id = '\(conversation.uuidString)') EXECUTE FUNCTION public.fail();
                """
            )
        }
    }

    private func goOn() async throws {
        try await TestDatabase.current.administrator.execute("DROP TRIGGER fail ON read_live.messages")
    }

    @Test func `no text stays, neither one that is shown already nor one that is yet to come`() async throws {
        try await LiveServer.with { server in
            let (ada, ben, eve) = (
                try await server.person("Ada"), try await server.person("Ben"), try await server.person("Eve")
            )
            let log = server.eventStore.identity
            var group = try await server.startGroup([ada, ben, eve])
            // What is told of the person alone is not held up.
            while log.partition(of: group) == log.partition(of: ada.id) {
                group = try await server.startGroup([ada, ben, eve])
            }
            let asked = try await server.ask("a secret 7f3a", ada, in: group)
            while try await !shows("a secret 7f3a", in: .messages) { await Task.pause() }
            try await stop(before: group)
            try await server.say("an answer", ben, in: group, replyTo: MessageReference(id: asked, seq: 1))
            try await server.say("another secret 7f3a", ada, in: group)
            while server.checkpoints.faults.isEmpty { await Task.pause() }

            let eraser = Eraser(
                identity: server.identity,
                eventStore: server.eventStore,
                checkpoints: server.checkpoints,
                attachments: server.dependencies.attachments
            )
            #expect(try await eraser.begin(ada.id))
            let erasing = Task { try await eraser.carryOut(ada.id) }
            while try await hasKey(ada) { await Task.pause() }
            #expect(!server.checkpoints.faults.isEmpty, "the read models have heard of nothing yet")
            try await goOn()
            #expect(try await erasing.value.conversations > 0)
            try await expectNowhere("secret 7f3a")
            let page = try await server.get(HistoryPage.self, "/v1/conversations/\(group)/messages", as: ben)
            let said = page.items.filter { $0.kind == .text }.map(\.text)
            #expect(said.count == 3)
            #expect(said.compactMap(\.self) == ["an answer"])
            #expect(page.items.compactMap(\.replyTo).map(\.text) == [nil])
        }
    }

    private func hasKey(_ person: LivePerson) async throws -> Bool {
        try await !TestDatabase.current.pool.query(
            "SELECT FROM parley.person_keys WHERE person_id = \(person.id)"
        ).isEmpty
    }

    private func expectNowhere(_ text: String) async throws {
        for table in ReadTable.allCases { #expect(try await !shows(text, in: table), "\(table)") }
    }

    private func shows(_ text: String, in table: ReadTable) async throws -> Bool {
        try await !TestDatabase.current.administrator.query(
            "SELECT FROM \(table.name(in: .live)) t WHERE t::text LIKE \("%\(text)%")"
        ).isEmpty
    }
}
