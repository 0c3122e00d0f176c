import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API

/// What deleted messages said, and the log.
@Suite(.database, .timeLimit(.minutes(10))) struct ShreddingTests {
    private struct Kept: Equatable {
        let type: String
        let hasContent: Bool
    }

    /// The events of a message that had content, and whether it is there.
    private func events(of message: WireID) async throws -> [Kept] {
        let id = message.uuid
        return try await TestDatabase.current.administrator.query(
            """
            SELECT type, sealed <> '' OR coalesce(content_hmac <> '', false) FROM parley.events
            WHERE (command_id = \(id) OR subject = \(id)) AND sealed IS NOT NULL ORDER BY version
            """
        ).map { Kept(type: try $0.decode(0), hasContent: try $0.decode(1)) }
    }

    private func text(_ text: String) -> JSONValue { .object(["text": .string(text)]) }

    @Test func `a deleted message leaves the log with all that it said, and nothing else does`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let id = try await ada.talk(to: bob).id
            let (kept, gone) = (try await ada.say("to stay", in: id), try await ada.say("to go", in: id))
            let path = "/v1/conversations/\(id)/messages"
            for message in [kept, gone] {
                #expect(try await ada.send(.patch, "\(path)/\(message.id)", body: text("edited")).status == .ok)
            }
            let whole = [Kept(type: "messageSent", hasContent: true), Kept(type: "messageEdited", hasContent: true)]
            #expect(try await events(of: gone.id) == whole)
            #expect(try await ada.send(.delete, "\(path)/\(gone.id)?for=everyone").status == .noContent)
            while try await events(of: gone.id).contains(where: \.hasContent) { await Task.pause() }
            #expect(try await events(of: gone.id).map(\.type) == ["messageSent", "messageEdited"])
            #expect(try await events(of: kept.id) == whole)
            #expect(try await bob.get(Message.self, "\(path)/\(kept.id)").text == "edited")
        }
    }

    private func id(in partition: Int, of server: TestServer) -> WireID {
        while true {
            let id = WireID()
            if server.eventStore.identity.partition(of: id.uuid) == partition { return id }
        }
    }

    @Test func `a partition that cannot be shredded keeps no other from it, and is once it can be`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let administrator = TestDatabase.current.administrator
            try await administrator.withConnection { connection in
                try await connection.script(
                    """
                    CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN RAISE 'not now' USING ERRCODE = 'data_exception'; END $$;
                    CREATE TRIGGER fail BEFORE UPDATE ON parley.events_p0 FOR EACH ROW EXECUTE FUNCTION public.fail();
                    """
                )
            }
            var gone: [Message] = []
            for partition in 0..<server.eventStore.identity.partitions {
                let group = try await ada.startGroup(id(in: partition, of: server), with: [bob, eve])
                gone.append(try await ada.say("to go", in: group.id))
            }
            for message in gone {
                #expect(try await ada.send(.delete, "\(message.path)?for=everyone").status == .noContent)
            }
            for message in gone.dropFirst() {
                while try await events(of: message.id).contains(where: \.hasContent) { await Task.pause() }
            }
            #expect(try await events(of: gone[0].id).contains(where: \.hasContent))
            try await administrator.execute("DROP TRIGGER fail ON parley.events_p0")
            while try await events(of: gone[0].id).contains(where: \.hasContent) { await Task.pause() }
        }
    }

    @Test func `who sends a deleted message again gets what became of it, and nobody else does`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let id = try await ada.talk(to: bob).id
            let message = try await ada.say("to go", in: id)
            let path = "/v1/conversations/\(id)/messages/\(message.id)"
            #expect(try await ada.send(.delete, path + "?for=everyone").status == .noContent)
            while try await events(of: message.id).contains(where: \.hasContent) { await Task.pause() }
            for said in ["to go", "something else"] {
                let again = try await ada.send(.put, path, body: text(said))
                #expect(again.status == .ok)
                let tombstone = try again.decode(Message.self)
                #expect(tombstone.deletedAt != nil && tombstone.text == nil && tombstone.seq == message.seq)
            }
            try await bob.send(.put, path, body: text("to go")).expect(.idConflict)
        }
    }

    @Test func `the log lets nothing through but that`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let id = try await ada.talk(to: bob).id
            let kept = try await ada.say("to stay", in: id)
            let gone = try await ada.say("to go", in: id)
            let path = "/v1/conversations/\(id)/messages/\(gone.id)"
            #expect(try await ada.send(.delete, path + "?for=everyone").status == .noContent)
            while try await events(of: gone.id).contains(where: \.hasContent) { await Task.pause() }
            let (keptID, goneID) = (kept.id.uuid, gone.id.uuid)
            for change: SQL in [
                "SET sealed = '', content_hmac = '' WHERE command_id = \(keptID)",
                "SET sealed = NULL WHERE command_id = \(goneID)",
                "SET sealed = 'new', content_hmac = '' WHERE command_id = \(goneID)",
                "SET payload = '{}' WHERE command_id = \(goneID)",
                "SET sealed = '' WHERE subject = \(goneID) AND type = 'messageDeleted'",
            ] {
                await #expect(
                    performing: {
                        try await TestDatabase.current.administrator.execute("UPDATE parley.events \(change)")
                    },
                    throws: { ($0 as? PostgresError)?.sqlState == .insufficientPrivilege }
                )
            }
        }
    }
}
