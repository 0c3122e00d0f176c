import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// What people schedule, change and withdraw, over HTTP, before its time has come.
@Suite(.database) struct SchedulingTests {
    private let clock = TestClock()

    private func serve(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.with({ $0.clock = clock.command }, body)
    }

    @Test func `nothing is scheduled that is refused now, as between two of whom one blocks the other`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            _ = try await bob.send(.put, "/v1/blocks/\(ada.id)")
            for person in [ada, bob] {
                try await person.schedule("Hello", in: id, at: clock.now + 60).expect(.forbidden)
                #expect(try await person.scheduled().items.isEmpty)
            }
        }
    }

    @Test func `what is scheduled is listed, the soonest first, for its author alone`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let quoted = try await bob.say("When?", in: id)
            let more: [String: JSONValue] = [
                "replyToId": .string("\(quoted.id)"), "mentions": .array([.string("\(bob.id)")]),
                "clientTimestamp": .string(Timestamp.format(clock.now)),
            ]
            var made: [ScheduledMessage] = []
            for hours in [3.0, 1, 2] {
                let answer = try await ada.schedule("In hours: \(hours)", in: id, at: clock.now + hours * 3_600, more)
                made.append(try answer.decode(ScheduledMessage.self, status: .created))
            }
            #expect(made[0].status == .scheduled && made[0].failure == nil && made[0].text == "In hours: 3.0")
            #expect(made[0].conversationId == id && made[0].sendAt == clock.now + 3 * 3_600)
            #expect(made[0].replyToId == quoted.id && made[0].mentions == [.user(bob.id)])
            #expect(made[0].clientTimestamp == clock.now && made[0].createdAt == clock.now)
            let sorted = [made[1], made[2], made[0]]
            #expect(try await ada.scheduled().items == sorted)
            var paged: [ScheduledMessage] = []
            var cursor: String?
            repeat {
                let page = try await ada.scheduled("?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
                paged += page.items
                cursor = page.nextCursor
            } while cursor != nil
            #expect(paged == sorted)
            #expect(try await ada.get(ScheduledMessage.self, "/v1/scheduled/\(made[0].id)") == made[0])
            #expect(try await bob.scheduled().items.isEmpty)
            try await bob.send(.get, "/v1/scheduled/\(made[0].id)").expect(.notFound)
            try await bob.withdraw(made[0].id).expect(.notFound)
            let stored = try await TestDatabase.current.pool.query(
                "SELECT position('In hours'::bytea IN s.sealed)::int AS place FROM parley.scheduled_messages s"
            )
            #expect(try stored.map { try $0.decode("place", as: Int.self) } == [0, 0, 0])
        }
    }

    @Test func `until it is sent it can be changed and withdrawn`() async throws {
        try await serve { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let (one, other) = (try await ada.talk(to: bob).id, try await ada.talk(to: eve).id)
            let id = WireID()
            let first = try await ada.schedule("First", in: one, at: clock.now + 60, id: id)
                .decode(ScheduledMessage.self, status: .created)
            let again = try await ada.schedule("First", in: one, at: clock.now + 60, id: id)
            #expect(try again.decode(ScheduledMessage.self, status: .ok) == first)
            clock.advance(by: 30)
            let changed = try await ada.schedule("Second", in: other, at: clock.now + 600, id: id)
                .decode(ScheduledMessage.self, status: .ok)
            #expect(changed.text == "Second" && changed.conversationId == other && changed.createdAt == first.createdAt)
            #expect(try await ada.scheduled().items == [changed])
            clock.advance(by: 60)
            #expect(try await server.sendDue() == changed.sendAt)
            #expect(try await ada.withdraw(id).status == .noContent)
            try await ada.withdraw(id).expect(.notFound)
            clock.advance(by: 3_600)
            #expect(try await server.sendDue() == nil)
            #expect(try await ada.texts(in: one).isEmpty)
            #expect(try await ada.texts(in: other).isEmpty)
        }
    }

    @Test func `while it is being sent it is neither changed nor withdrawn`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob).id
            let made = try await ada.schedule("Soon", in: conversation, at: clock.now + 60)
                .decode(ScheduledMessage.self, status: .created)
            // Another process claims it, and is never heard of again.
            let messages = ScheduledMessages(server.eventStore)
            clock.advance(by: 61)
            #expect(try await messages.claimDue(at: clock.now, limit: 10).count == 1)
            let changed = try await ada.schedule("Later", in: conversation, at: clock.now + 600, id: made.id)
            for answer in [changed, try await ada.withdraw(made.id)] {
                try answer.expect(.unavailable)
                #expect(answer.headers[.retryAfter] != nil)
            }
            #expect(try await ada.scheduled().items.map(\.text) == ["Soon"])
            clock.advance(by: ScheduledMessages.lease + 1)
            #expect(try await ada.withdraw(made.id).status == .noContent)
            try await server.sendDue()
            #expect(try await ada.texts(in: conversation).isEmpty)
        }
    }

    @Test func `its time lies ahead, and within a year`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            for seconds: TimeInterval in [-3_600, 0, 365 * 86_400 + 0.001] {
                try await ada.schedule("No", in: id, at: clock.now + seconds).expect(
                    .validationFailed,
                    pointer: "/sendAt"
                )
            }
            for seconds: TimeInterval in [0.001, 365 * 86_400] {
                #expect(try await ada.schedule("Yes", in: id, at: clock.now + seconds).status == .created)
            }
            let past = try await ada.schedule("Kept", in: id, at: clock.now + 1, id: WireID())
                .decode(ScheduledMessage.self)
            clock.advance(by: 2)
            // The answer was lost, and the request comes again after the time.
            let again = try await ada.schedule("Kept", in: id, at: past.sendAt, id: past.id)
            #expect(try again.decode(ScheduledMessage.self, status: .ok) == past)
        }
    }

    @Test func `what no send could say is refused at once`() async throws {
        try await serve { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.talk(to: bob).id
            let later = clock.now + 60
            for text in ["", "  ", String(repeating: "a", count: 10_001)] {
                try await ada.schedule(text, in: id, at: later).expect(.validationFailed, pointer: "/text")
            }
            let unknown: [String: JSONValue] = ["replyToId": .string("\(WireID())")]
            try await ada.schedule("Hi", in: id, at: later, unknown).expect(.validationFailed, pointer: "/replyToId")
            let wrong: [(String, JSONValue)] = [
                ("sendAt", .string("tomorrow")), ("sendAt", .null), ("conversationId", .null), ("mentions", .number(1)),
            ]
            for (name, value) in wrong {
                try await ada.schedule("Hi", in: id, at: later, [name: value])
                    .expect(.validationFailed, pointer: "/\(name)")
            }
            try await eve.schedule("Hi", in: id, at: later).expect(.notFound)
            try await ada.schedule("Hi", in: WireID(), at: later).expect(.notFound)
            let derived = try #require(WireID("00000000-0000-8000-8000-000000000001"))
            try await ada.schedule("Hi", in: id, at: later, id: derived)
                .expect(.validationFailed, parameter: "messageId")
            try await ada.send(.get, "/v1/scheduled?cursor=AAAA").expect(.validationFailed, parameter: "cursor")
            #expect(try await ada.scheduled().items.isEmpty)
        }
    }

    @Test func `nobody has more than so many, also asked for at once`() async throws {
        try await TestServer.with {
            $0.clock = clock.command
            $0.server = .init(version: "test", limits: .init(maxScheduledMessages: 3), features: [])
        } _: { [clock] server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask { try await ada.schedule("\(number)", in: id, at: clock.now + 60).status.code }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201, 201, 201, 422, 422, 422, 422, 422])
            let items = try await ada.scheduled().items
            // Changing one takes no more room.
            #expect(try await ada.schedule("Changed", in: id, at: clock.now + 90, id: items[0].id).status == .ok)
            try await ada.schedule("More", in: id, at: clock.now + 60).expect(.validationFailed, parameter: "messageId")
            #expect(try await ada.withdraw(items[1].id).status == .noContent)
            #expect(try await ada.schedule("More", in: id, at: clock.now + 60).status == .created)
            #expect(try await bob.schedule("Mine", in: id, at: clock.now + 60).status == .created)
        }
    }

    @Test func `it goes with its author, and is in the author's export`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let mine = try await ada.schedule("Mine, later", in: id, at: clock.now + 60).decode(ScheduledMessage.self)
            _ = try await bob.schedule("His, later", in: id, at: clock.now + 60)
            let export = try await ada.send(.post, "/v1/me/export")
            let lines = try export.text.split(separator: "\n").map {
                try WireJSON.decoder().decode(ExportLine.self, from: Data($0.utf8))
            }
            #expect(lines.suffix(2) == [.scheduled(mine), .end])
            #expect(!export.text.contains("His, later"))
            try await server.dependencies.eraser.carryOut(ada.id.uuid)
            let left = try await TestDatabase.current.pool.query("SELECT s.author_id FROM parley.scheduled_messages s")
            #expect(try left.map { try $0.decode("author_id", as: UUID.self) } == [bob.id.uuid])
            clock.advance(by: 61)
            #expect(try await server.sendDue() == nil)
        }
    }

    @Test func `an answer holds only so much, and goes on from there`() async throws {
        try await TestServer.with {
            $0.clock = clock.command
            $0.answerBytes = 16 * 1_024
        } _: { [clock] server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            for number in 0..<8 {
                let text = "\(number)" + String(repeating: "a", count: 4_096)
                try await ada.schedule(text, in: id, at: clock.now + 60)
            }
            let first = try await ada.scheduled()
            #expect((1..<8).contains(first.items.count))
            var (count, cursor) = (first.items.count, first.nextCursor)
            while let next = cursor {
                let page = try await ada.scheduled("?cursor=\(next)")
                (count, cursor) = (count + page.items.count, page.nextCursor)
            }
            #expect(count == 8)
        }
    }
}
