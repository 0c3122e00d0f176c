import Foundation
import HTTPTypes
import Identity
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API

@Suite(.database) struct `Reports before operators` {
    private let comment = "He does that every day"

    private func report(_ reporter: Person, _ members: [String: JSONValue]) async throws -> WireID {
        SecretWatch.add(comment)
        var body = members
        body["comment"] = .string(comment)
        return try await reporter.send(.post, "/v1/reports", body: .object(body))
            .decode(Report.self, status: .created).id
    }

    private func acts(_ operated: Operated) async throws -> [ListedAct] {
        try await operated.send(.get, "/admin/v1/audit").decode(ListPage<ListedAct>.self).items
    }

    @Test func `wait in pages, the oldest first, and say nothing of what was written`() async throws {
        try await Operated.with(.read) { operated in
            let (ada, bob) = (try await operated.server.register("Ada"), try await operated.server.register("Bob"))
            var made: [WireID] = []
            for reason in ["spam", "hate", "fraud"] {
                let members: [String: JSONValue] = ["userId": .string("\(bob.id)"), "reason": .string(reason)]
                made.append(try await report(ada, members))
            }
            let answer = try await operated.send(.get, "/admin/v1/reports?limit=2")
            #expect(!answer.text.contains(comment))
            let first = try answer.decode(ListPage<ListedReport>.self)
            #expect(first.items.map(\.id) == Array(made.prefix(2)))
            #expect(first.items.map(\.reason) == ["spam", "hate"])
            #expect(first.items.allSatisfy { $0.reporter.id == ada.id && $0.person?.id == bob.id })
            #expect(first.items.allSatisfy { $0.evidence == nil && $0.actions == nil && $0.closedAt == nil })
            let cursor = try #require(first.nextCursor)
            let rest = try await operated.send(.get, "/admin/v1/reports?cursor=\(cursor)")
                .decode(ListPage<ListedReport>.self)
            #expect(rest.items.map(\.id) == [made[2]] && rest.nextCursor == nil)
            for query in ["cursor=x", "status=closed&cursor=\(cursor)"] {
                try await operated.send(.get, "/admin/v1/reports?\(query)")
                    .expect(.validationFailed, parameter: "cursor")
            }
            try await operated.send(.get, "/admin/v1/reports?status=lost")
                .expect(.validationFailed, parameter: "status")
            // A list is no reading of what was written.
            #expect(try await acts(operated).map(\.action) == ["operator.create"])
        }
    }

    @Test func `are read and closed, and each time it is written down who did it`() async throws {
        try await Operated.with { operated in
            let (ada, bob) = (try await operated.server.register("Ada"), try await operated.server.register("Bob"))
            let conversation = try await ada.talk(to: bob).id
            let message = try await bob.say("Send me your money", in: conversation)
            let id = try await report(
                ada,
                [
                    "conversationId": .string("\(conversation)"), "messageId": .string("\(message.id)"),
                    "reason": .string("fraud"),
                ]
            )
            _ = try await bob.send(.delete, "/v1/conversations/\(conversation)/messages/\(message.id)")
            let path = "/admin/v1/reports/\(id)"
            let shown = try await operated.send(.get, path).decode(ListedReport.self)
            #expect(shown.messageId == message.id && shown.conversationId == conversation)
            #expect(shown.evidence?.text == "Send me your money" && shown.evidence?.comment == comment)
            #expect(shown.actions?.map(\.action) == ["opened"] && shown.actions?.map(\.operator) == ["deploy"])

            for note: JSONValue in [.null, .string(""), .string(" "), .string(String(repeating: "a", count: 1_001))] {
                try await operated.send(.post, "\(path)/close", body: .object(["note": note]))
                    .expect(.validationFailed, pointer: "/note")
            }
            let body: JSONValue = .object(["note": .string("Closed the account")])
            let closed = try await operated.send(.post, "\(path)/close", body: body).decode(ListedReport.self)
            #expect(closed.closedAt != nil && closed.evidence == nil)
            #expect(closed.actions?.map(\.action) == ["opened", "closed"])
            #expect(closed.actions?.last?.note == "Closed the account")
            let again: JSONValue = .object(["note": .string("Once more")])
            #expect(try await operated.send(.post, "\(path)/close", body: again).decode(ListedReport.self) == closed)

            let waiting = try await operated.send(.get, "/admin/v1/reports").decode(ListPage<ListedReport>.self)
            #expect(waiting.items.isEmpty)
            let all = try await operated.send(.get, "/admin/v1/reports?status=closed")
                .decode(ListPage<ListedReport>.self)
            #expect(all.items.map(\.id) == [id])
            for unknown in ["\(WireID())", "4711"] {
                try await operated.send(.get, "/admin/v1/reports/\(unknown)").expect(.notFound)
                try await operated.send(.post, "/admin/v1/reports/\(unknown)/close", body: body).expect(.notFound)
            }
            let written = try await acts(operated)
            #expect(written.map(\.action) == ["report.close", "report.open", "operator.create"])
            #expect(written.prefix(2).allSatisfy { $0.operator == "deploy" && $0.target == "\(id)" })
        }
    }

    @Test func `hold the message as it was, and its files until they are closed`() async throws {
        try await Operated.with { operated in
            let server = operated.server
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let conversation = try await ada.talk(to: bob).id
            let bytes = Array("Transfer it here".utf8)
            let file = try await bob.upload(bytes)
            let message = try await bob.send([file], "Send me your money", in: conversation)
                .decode(Message.self, status: .created)
            let id = try await report(
                ada,
                [
                    "conversationId": .string("\(conversation)"), "messageId": .string("\(message.id)"),
                    "reason": .string("fraud"),
                ]
            )
            #expect(try await bob.edit(message, to: "Lovely weather").status == .ok)
            #expect(try await bob.send(.delete, message.path).status == .noContent)
            try await server.collect()
            let path = "/admin/v1/reports/\(id)"
            let shown = try await operated.send(.get, path).decode(ListedReport.self)
            let evidence = try #require(shown.evidence)
            #expect(evidence.text == "Send me your money" && evidence.senderId == bob.id)
            let sentAt = try #require(evidence.sentAt)
            #expect(abs(sentAt.timeIntervalSince(message.timestamp)) < 0.001)
            let listed = try #require(evidence.attachments.first)
            #expect(listed.id == file.id && listed.kind == "file" && listed.name == "notes.txt")
            #expect(listed.contentType == "text/plain" && listed.bytes == Int64(bytes.count))
            let plain = try await TestDatabase.current.pool.query(
                "SELECT position('notes.txt'::bytea IN r.sealed)::int AS place FROM parley.reports r"
            )
            #expect(try plain.map { try $0.decode("place", as: Int.self) } == [0])

            // For operators alone, and each time it is written down.
            for person in [ada, bob] {
                #expect(try await person.bring(.get, "/v1/attachments/\(file.id)/content").status == .notFound)
            }
            let content = "\(path)/attachments/\(file.id)"
            let answer = try await operated.send(.get, content)
            #expect(answer.status == .ok && answer.body == Data(bytes))
            #expect(try await acts(operated).map(\.action) == ["report.open", "report.open", "operator.create"])
            try await operated.send(.get, "\(path)/attachments/\(WireID())").expect(.notFound)
            try await operated.send(.get, "/admin/v1/reports/\(WireID())/attachments/\(file.id)").expect(.notFound)

            let note: JSONValue = .object(["note": .string("Closed the account")])
            #expect(try await operated.send(.post, "\(path)/close", body: note).status == .ok)
            try await operated.send(.get, content).expect(.notFound)
            #expect(try await server.blobs() == 1)
            try await server.collect()
            #expect(try await server.blobs() == 0)
        }
    }

    @Test func `hold no file of who is erased`() async throws {
        try await Operated.with { operated in
            let server = operated.server
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let conversation = try await ada.talk(to: bob).id
            let file = try await bob.upload(Array("Transfer it here".utf8))
            let message = try await bob.send([file], in: conversation).decode(Message.self, status: .created)
            let id = try await report(
                ada,
                [
                    "conversationId": .string("\(conversation)"), "messageId": .string("\(message.id)"),
                    "reason": .string("fraud"),
                ]
            )
            let content = "/admin/v1/reports/\(id)/attachments/\(file.id)"
            #expect(try await operated.send(.get, content).status == .ok)
            // As another process begins it, which this one has not heard of.
            try await TestDatabase.current.pool.execute(
                "INSERT INTO parley.erasures (person_id) VALUES (\(bob.id.uuid))"
            )
            try await operated.send(.get, content).expect(.notFound)
            try await server.dependencies.eraser.carryOut(bob.id.uuid)
            try await operated.send(.get, content).expect(.notFound)
            try await server.collect()
            #expect(try await server.blobs() == 0)
        }
    }

    @Test func `are read by who may only read, which is written down as well`() async throws {
        try await Operated.with(.read) { operated in
            let (ada, bob) = (try await operated.server.register("Ada"), try await operated.server.register("Bob"))
            let id = try await report(ada, ["userId": .string("\(bob.id)"), "reason": .string("spam")])
            let path = "/admin/v1/reports/\(id)"
            #expect(try await operated.send(.get, path).decode(ListedReport.self).evidence?.comment == comment)
            let body: JSONValue = .object(["note": .string("Closed the account")])
            try await operated.send(.post, "\(path)/close", body: body).expect(.forbidden)
            #expect(try await acts(operated).map(\.action) == ["report.open", "operator.create"])
        }
    }

    @Test func `show that they were closed, and who has read them of late`() async throws {
        try await Operated.with { operated in
            let (ada, bob) = (try await operated.server.register("Ada"), try await operated.server.register("Bob"))
            let id = try await report(ada, ["userId": .string("\(bob.id)"), "reason": .string("spam")])
            let path = "/admin/v1/reports/\(id)"
            let body: JSONValue = .object(["note": .string("Closed the account")])
            #expect(try await operated.send(.post, "\(path)/close", body: body).status == .ok)
            try await TestDatabase.current.pool.execute(
                """
                INSERT INTO parley.report_actions (report_id, operator, action, at)
                SELECT r.report_id, 'reader ' || n, 'opened', now() + n * interval '1 second'
                FROM parley.reports r, generate_series(1, 600) AS n
                """
            )
            let shown = try await operated.send(.post, "\(path)/close", body: body).decode(ListedReport.self)
            let actions = try #require(shown.actions)
            #expect(actions.map(\.operator) == ["deploy"] + (102...600).map { "reader \($0)" })
            #expect(actions.first?.action == "closed" && actions.first?.note == "Closed the account")
        }
    }

    @Test func `show no evidence of who is erased`() async throws {
        try await Operated.with { operated in
            let (ada, bob) = (try await operated.server.register("Ada"), try await operated.server.register("Bob"))
            let id = try await report(ada, ["userId": .string("\(bob.id)"), "reason": .string("spam")])
            try await operated.server.dependencies.eraser.carryOut(bob.id.uuid)
            let shown = try await operated.send(.get, "/admin/v1/reports/\(id)").decode(ListedReport.self)
            #expect(shown.evidence == nil && shown.person?.id == bob.id && shown.actions?.count == 1)
        }
    }
}
