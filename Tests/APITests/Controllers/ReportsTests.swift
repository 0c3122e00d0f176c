import EventStore
import Foundation
import HTTPTypes
import Identity
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// What people tell those who run the server, over HTTP.
@Suite(.database) struct ReportsTests {
    private func report(
        _ person: Person,
        _ members: [String: JSONValue],
        key: WireID? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        if let key, let name = HTTPField.Name(ParleyHeader.idempotencyKey) { headers[name] = "\(key)" }
        return try await person.send(.post, "/v1/reports", headers: headers, body: .object(members))
    }

    private func reports(_ server: TestServer) -> Reports {
        Reports(pool: TestDatabase.current.pool, keyring: server.eventStore.keyring)
    }

    @Test func `a message is kept as it was, sealed, whatever becomes of it`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let message = try await bob.say("Send me your money", in: id)
            SecretWatch.add("He does that every day")
            let answer = try await report(
                ada,
                [
                    "conversationId": .string("\(id)"), "messageId": .string("\(message.id)"),
                    "reason": .string("fraud"), "comment": .string("He does that every day"),
                ]
            )
            let created = try answer.decode(Report.self, status: .created)
            #expect(created.userId == bob.id && created.conversationId == id && created.messageId == message.id)
            #expect(created.reason == .fraud)
            _ = try await bob.send(.delete, "/v1/conversations/\(id)/messages/\(message.id)")
            let evidence = try #require(try await reports(server).evidence(of: created.id.uuid))
            #expect(evidence.text == "Send me your money" && evidence.comment == "He does that every day")
            // Read off the database and off an answer, the same moment may differ in its last bit.
            let sentAt = try #require(evidence.sentAt)
            #expect(abs(sentAt.timeIntervalSince(message.timestamp)) < 0.001 && evidence.editedAt == nil)
            let plain = try await TestDatabase.current.pool.query(
                """
                SELECT position('money'::bytea IN r.sealed)::int + position('every'::bytea IN r.sealed)::int AS place
                FROM parley.reports r
                """
            )
            #expect(try plain.map { try $0.decode("place", as: Int.self) } == [0])
        }
    }

    @Test func `of one who reports files are held up to a bound`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let file = try await bob.upload(Array("Transfer it here".utf8))
            let message = try await bob.send([file], in: id).decode(ParleyWire.Message.self, status: .created)
            let members: [String: JSONValue] = [
                "conversationId": .string("\(id)"), "messageId": .string("\(message.id)"), "reason": .string("fraud"),
            ]
            let created = try await report(ada, members).decode(Report.self, status: .created)
            let evidence = try #require(try await reports(server).evidence(of: created.id.uuid))
            func held(_ most: Int64, by reporter: Person) async throws -> Int {
                let pool = TestDatabase.current.pool
                let reports = Reports(pool: pool, keyring: server.eventStore.keyring, mostHeld: most)
                let next = Reports.Report(
                    id: UUID(),
                    reporter: reporter.id.uuid,
                    person: bob.id.uuid,
                    conversation: id.uuid,
                    message: message.id.uuid,
                    reason: "fraud",
                    evidence: evidence
                )
                _ = try await reports.add(next, content: [])
                return try await pool.query(
                    "SELECT count(*)::int AS n FROM parley.held_attachments h WHERE h.report_id = \(next.id)"
                ).first?.decode("n") ?? 0
            }
            #expect(try await held(10, by: ada) == 0)
            // Another's reports are bounded apart.
            #expect(try await held(10, by: bob) == 1)
            #expect(try await held(1_000, by: ada) == 1)
        }
    }

    @Test func `people and conversations are reported as well`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let person = try await report(ada, ["userId": .string("\(bob.id)"), "reason": .string("spam")])
                .decode(Report.self, status: .created)
            #expect(person.userId == bob.id && person.conversationId == nil && person.messageId == nil)
            let conversation = try await report(ada, ["conversationId": .string("\(id)"), "reason": .string("other")])
                .decode(Report.self, status: .created)
            #expect(conversation.userId == nil && conversation.conversationId == id)
        }
    }

    @Test func `a message is its sender's, whoever is named with it`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.talk(to: bob).id
            let message = try await bob.say("Send me your money", in: id)
            let members: [String: JSONValue] = [
                "conversationId": .string("\(id)"), "messageId": .string("\(message.id)"), "reason": .string("fraud"),
                "userId": .string("\(eve.id)"),
            ]
            let created = try await report(ada, members).decode(Report.self, status: .created)
            #expect(created.userId == bob.id)
            try await server.dependencies.eraser.carryOut(bob.id.uuid)
            #expect(try await reports(server).evidence(of: created.id.uuid) == nil)
        }
    }

    @Test func `a repeated report is there once`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let key = WireID()
            let members: [String: JSONValue] = ["userId": .string("\(bob.id)"), "reason": .string("spam")]
            let first = try await report(ada, members, key: key).decode(Report.self, status: .created)
            #expect(try await report(ada, members, key: key).decode(Report.self, status: .ok) == first)
            let other: [String: JSONValue] = ["userId": .string("\(bob.id)"), "reason": .string("hate")]
            try await report(ada, other, key: key).expect(.idConflict)
            // A key is its sender's.
            let others: [String: JSONValue] = ["userId": .string("\(ada.id)"), "reason": .string("spam")]
            #expect(try await report(bob, others, key: key).status == .created)
        }
    }

    @Test func `what the caller may not see is not found`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.talk(to: bob).id
            let message = try await bob.say("Between us", in: id)
            for members in [
                ["conversationId": "\(id)"], ["conversationId": "\(WireID())"],
                ["conversationId": "\(id)", "messageId": "\(message.id)"], ["userId": "\(WireID())"],
            ] {
                var body = members.mapValues { JSONValue.string($0) }
                body["reason"] = .string("spam")
                try await report(eve, body).expect(.notFound)
            }
            let nothing = ["conversationId": "\(id)", "messageId": "\(WireID())", "reason": "spam"]
            try await report(ada, nothing.mapValues { .string($0) }).expect(.notFound)
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let bobsID: JSONValue = .string("\(bob.id)")
            try await report(ada, [:]).expect(.validationFailed, pointer: "/reason")
            try await report(ada, ["reason": .string("spam")]).expect(.validationFailed, pointer: "/userId")
            for reason: JSONValue in [.null, .number(1), .string("boredom")] {
                try await report(ada, ["userId": bobsID, "reason": reason])
                    .expect(.validationFailed, pointer: "/reason")
            }
            try await report(ada, ["userId": bobsID, "messageId": .string("\(WireID())"), "reason": .string("spam")])
                .expect(.validationFailed, pointer: "/conversationId")
            try await report(ada, ["userId": .string("\(ada.id)"), "reason": .string("spam")])
                .expect(.validationFailed, pointer: "/userId")
            let long: JSONValue = .string(String(repeating: "a", count: ReportFields.maxComment + 1))
            try await report(ada, ["userId": bobsID, "reason": .string("spam"), "comment": long])
                .expect(.validationFailed, pointer: "/comment")
        }
    }

    @Test func `a caller reports only so much at once`() async throws {
        try await TestServer.with {
            $0.rates = [.report: RateLimit(2, per: .seconds(3_600))]
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let members: [String: JSONValue] = ["userId": .string("\(bob.id)"), "reason": .string("spam")]
            for _ in 0..<2 { #expect(try await report(ada, members).status == .created) }
            try await report(ada, members).expect(.rateLimited)
        }
    }

    @Test func `reports go with their reporter, and evidence with who has said it`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let members: [String: JSONValue] = ["userId": .string("\(bob.id)"), "reason": .string("spam")]
            _ = try await report(ada, members).decode(Report.self)
            let eves = try await report(eve, members).decode(Report.self)
            try await server.dependencies.eraser.carryOut(ada.id.uuid)
            let left = try await TestDatabase.current.pool.query("SELECT r.report_id FROM parley.reports r")
            #expect(try left.map { try $0.decode(0, as: UUID.self) } == [eves.id.uuid])
            #expect(try await reports(server).evidence(of: eves.id.uuid) != nil)
            try await server.dependencies.eraser.carryOut(bob.id.uuid)
            #expect(try await reports(server).evidence(of: eves.id.uuid) == nil)
        }
    }
}
