import EventStore
import Foundation
import HTTPTypes
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// Messages that go by themselves, over HTTP. No test waits for their time: the clock stands until it is moved.
@Suite(.database, .timeLimit(.minutes(10))) struct RetentionTests {
    private let clock = TestClock()

    private func serve(
        isProjecting: Bool = true,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(
            {
                $0.clock = clock.command
                $0.isProjecting = isProjecting
            },
            body
        )
    }

    private func keep(_ seconds: JSONValue, in id: WireID, by person: Person) async throws -> Answer {
        try await person.send(.patch, "/v1/conversations/\(id)", body: .object(["retentionSeconds": seconds]))
    }

    private func message(_ id: WireID, in conversation: WireID, for person: Person) async throws -> ParleyWire.Message {
        try await person.get(ParleyWire.Message.self, "/v1/conversations/\(conversation)/messages/\(id)")
    }

    /// How often the log says that each of these is gone.
    private func expiries(of messages: [WireID]) async throws -> [Int] {
        let ids = messages.map(\.uuid)
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT (SELECT count(*)::int FROM parley.events e WHERE e.subject = x.id AND e.type = 'messageExpired') AS n
            FROM unnest(\(ids)) WITH ORDINALITY AS x (id, place) ORDER BY x.place
            """
        )
        return try rows.map { try $0.decode("n") }
    }

    @Test func `it is set, shown, told in the history and cleared`() async throws {
        try await serve { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            for id in [try await ada.talk(to: bob).id, try await ada.startGroup(with: [bob, eve]).id] {
                let path = "/v1/conversations/\(id)"
                #expect(try await ada.get(ParleyWire.Conversation.self, path).retentionSeconds == nil)
                for seconds in [3_600.0, 7_776_000] {
                    let answer = try await keep(.number(seconds), in: id, by: ada)
                    let changed = try answer.decode(ParleyWire.Conversation.self, status: .ok)
                    #expect(changed.retentionSeconds == Int(seconds))
                    let seen = try await bob.get(ParleyWire.Conversation.self, path, after: answer)
                    #expect(seen.retentionSeconds == Int(seconds))
                }
                for wrong in [3_599, 7_776_001, 0, -1, 3_600.5] {
                    try await keep(.number(wrong), in: id, by: ada)
                        .expect(.validationFailed, pointer: "/retentionSeconds")
                }
                try await keep(.string("a day"), in: id, by: ada)
                    .expect(.validationFailed, pointer: "/retentionSeconds")
                let cleared = try await keep(.null, in: id, by: ada)
                #expect(try cleared.decode(ParleyWire.Conversation.self).retentionSeconds == nil)
                // Again is no change, and tells of none.
                _ = try await keep(.null, in: id, by: ada)
                let history = try await bob.get(HistoryPage.self, "\(path)/messages", after: cleared).items
                let announced = history.compactMap { item -> JSONValue? in
                    guard case .object(let data) = item.data, data["event"] == .string("retentionChanged") else {
                        return nil
                    }
                    return data["changes"]
                }
                let values: [JSONValue] = [.number(3_600), .number(7_776_000), .null]
                #expect(announced == values.map { .object(["retentionSeconds": $0]) })
            }
        }
    }

    @Test func `a message goes after its time, with all that it said, and counts no more`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            _ = try await keep(.number(3_600), in: id, by: ada)
            SecretWatch.add("Soon gone")
            let path = "/v1/conversations/\(id)"
            let body: JSONValue = .object([
                "text": .string("Soon gone"), "mentions": .array([.string("\(bob.id)")]),
            ])
            let gone = try await ada.send(.put, "\(path)/messages/\(WireID())", body: body)
                .decode(ParleyWire.Message.self, status: .created)
            #expect(gone.expiresAt == clock.later(by: 3_600))
            clock.advance(by: 60)
            let quoting: JSONValue = .object(["text": .string("Why?"), "replyToId": .string("\(gone.id)")])
            let reply = try await bob.send(.put, "\(path)/messages/\(WireID())", body: quoting)
            let answer = try reply.decode(ParleyWire.Message.self)
            let before = try await bob.get(ParleyWire.Conversation.self, path, after: reply)
            #expect(before.unreadCount == 1 && before.mentionCount == 1)
            clock.advance(by: 3_539.999)
            #expect(try await server.expireDue() == clock.later(by: 0.001))
            #expect(try await message(gone.id, in: id, for: bob).text == "Soon gone")
            clock.advance(by: 0.001)
            #expect(try await server.expireDue() == clock.later(by: 60))
            let left = try await message(gone.id, in: id, for: bob)
            #expect(left.text == nil && left.deletedAt == clock.now && left.deletedBy == nil && left.mentions.isEmpty)
            #expect(left.expiresAt == nil && left.seq == gone.seq)
            #expect(try await message(answer.id, in: id, for: ada).replyTo?.text == nil)
            let after = try await bob.get(ParleyWire.Conversation.self, path)
            #expect(after.unreadCount == 0 && after.mentionCount == 0)
            let marks = try await bob.send(
                .post,
                "/v1/receipts",
                body: .object(["receipts": .array([.object(["conversationId": .string("\(id)")])])])
            )
            #expect(try marks.decode(ReceiptsAnswer.self).items.map(\.unreadCount) == [0])
            // Counted in the log itself, as where the state does not say, too.
            let back = try await bob.send(.post, "\(path)/unread", body: .object(["fromSeq": .number(1)]))
            #expect(back.status == .ok)
            let counted = try await bob.send(
                .post,
                "/v1/receipts",
                body: .object(["receipts": .array([.object(["conversationId": .string("\(id)")])])])
            )
            #expect(try counted.decode(ReceiptsAnswer.self).items.map(\.unreadCount) == [0])
            try await ada.send(.patch, "\(path)/messages/\(gone.id)", body: .object(["text": .string("Back")]))
                .expect(.forbidden)
            // The log has nothing of it either, soon.
            let uuid = gone.id.uuid
            while try await !TestDatabase.current.administrator.query(
                "SELECT FROM parley.events WHERE command_id = \(uuid) AND (sealed <> '' OR content_hmac <> '')"
            ).isEmpty { await Task.pause() }
            #expect(try await expiries(of: [gone.id, answer.id]) == [1, 0])
            let caused = try await TestDatabase.current.administrator.query(
                "SELECT FROM parley.events WHERE type = 'messageExpired' AND causation_id = \(uuid)"
            )
            #expect(caused.count == 1)
            let verification = Verification(pool: TestDatabase.current.pool, partitions: 4, includingLog: true)
            #expect(try await verification.run().findings.isEmpty)
        }
    }

    @Test func `what has gone is neither found nor starred nor pinned, and has no versions`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            _ = try await keep(.number(3_600), in: id, by: ada)
            let message = try await ada.say("Fleeting", in: id)
            _ = try await ada.edit(message, to: "Fleeting, too")
            _ = try await bob.send(.put, "\(message.path)/star")
            let pinned = try await bob.send(.put, "\(message.path)/pin")
            func counts(after answer: Answer? = nil) async throws -> [Int] {
                let pins = try await bob.get(
                    ListPage<ParleyWire.Message>.self,
                    "/v1/conversations/\(id)/pins",
                    after: answer
                )
                let stars = try await bob.get(ListPage<StarredMessage>.self, "/v1/starred")
                let versions = try await bob.get(ListPage<MessageVersion>.self, "\(message.path)/history")
                let found = try await bob.send(.post, "/v1/search", body: .object(["query": .string("fleeting")]))
                    .decode(ListPage<SearchResult>.self, status: .ok)
                return [pins.items.count, stars.items.count, versions.items.count, found.items.count]
            }
            #expect(try await counts(after: pinned) == [1, 1, 1, 1])
            clock.advance(by: 3_600)
            #expect(try await server.expireDue() == nil)
            #expect(try await counts() == [0, 0, 0, 0])
            let list = try await bob.get(ListPage<ParleyWire.Conversation>.self, "/v1/conversations").items
            #expect(list.map(\.lastMessage?.id) == [message.id] && list.allSatisfy { $0.lastMessage?.text == nil })
        }
    }

    @Test func `only what was sent under it goes, each by its own time`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let before = try await ada.say("Before", in: id)
            _ = try await keep(.number(7_200), in: id, by: bob)
            let long = try await ada.say("Two hours", in: id)
            _ = try await keep(.number(3_600), in: id, by: bob)
            let short = try await ada.say("One hour", in: id)
            _ = try await keep(.null, in: id, by: bob)
            let last = try await ada.say("After", in: id)
            #expect([before, long, short, last].map { $0.expiresAt != nil } == [false, true, true, false])
            clock.advance(by: 3_600)
            _ = try await ada.texts(in: id)
            #expect(try await server.expireDue() == clock.later(by: 3_600))
            #expect(try await ada.texts(in: id) == ["Before", "Two hours", nil, "After"])
            clock.advance(by: 3_600)
            #expect(try await server.expireDue() == nil)
            clock.advance(by: 100_000_000)
            #expect(try await server.expireDue() == nil)
            #expect(try await ada.texts(in: id) == ["Before", nil, nil, "After"])
        }
    }

    @Test func `each goes once, whoever is at it`() async throws {
        try await serve { one in
            try await serve { other in
                let (ada, bob, eve) = (try await one.register(), try await one.register(), try await one.register())
                var sent: [WireID: [WireID]] = [:]
                for id in [try await ada.talk(to: bob).id, try await ada.talk(to: eve).id] {
                    _ = try await keep(.number(3_600), in: id, by: ada)
                    for number in 0..<70 { sent[id, default: []].append(try await ada.say("\(number)", in: id).id) }
                }
                let all = sent.values.flatMap { $0 }
                // One that is deleted before is not to go a second time.
                let (room, messages) = try #require(sent.first)
                let path = "/v1/conversations/\(room)/messages/\(messages[0])"
                #expect(try await ada.send(.delete, path).status == .noContent)
                clock.advance(by: 3_600)
                let (now, rooms) = (clock.now, sent)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for server in [one, other] {
                        group.addTask { _ = try await server.expireDue() }
                        for (id, messages) in rooms {
                            group.addTask {
                                let ids = messages.map(\.uuid)
                                _ = try await server.dependencies.expirer.expire(ids, of: id.uuid, at: now)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await expiries(of: all) == all.map { $0 == messages[0] ? 0 : 1 })
                for id in sent.keys { #expect(try await ada.texts(in: id).allSatisfy { $0 == nil }) }
            }
        }
    }

    @Test func `one process at a time sees to it, and another one when that is gone`() async throws {
        try await serve { one in
            try await serve { other in
                let (ada, bob) = (try await one.register(), try await one.register())
                let id = try await ada.talk(to: bob).id
                _ = try await keep(.number(3_600), in: id, by: ada)
                let first = try await ada.say("First", in: id)
                // Until it is read, and so on below.
                _ = try await ada.texts(in: id)
                #expect(try await one.expireDue() == clock.later(by: 3_600))
                #expect(try await other.expireDue() == nil)
                clock.advance(by: 3_600)
                #expect(try await one.expireDue() == nil)
                try await one.dependencies.expirer.endTurn()
                let second = try await ada.say("Second", in: id)
                _ = try await ada.texts(in: id)
                clock.advance(by: 3_600)
                #expect(try await other.expireDue() == nil)
                #expect(try await expiries(of: [first.id, second.id]) == [1, 1])
                // Who is killed ends no turn: it ends by itself.
                let third = try await ada.say("Third", in: id)
                _ = try await ada.texts(in: id)
                clock.advance(by: ExpiringMessages.turn - 1)
                #expect(try await one.expireDue() == nil)
                clock.advance(by: 1)
                #expect(try await one.expireDue() == third.expiresAt)
            }
        }
    }

    @Test func `an edit at that moment comes first, or comes too late`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            _ = try await keep(.number(3_600), in: id, by: ada)
            SecretWatch.add("Edited")
            for number in 0..<10 {
                let message = try await ada.say("\(number)", in: id)
                _ = try await ada.texts(in: id)
                clock.advance(by: 3_600)
                let path = "/v1/conversations/\(id)/messages/\(message.id)"
                async let edited = ada.send(.patch, path, body: .object(["text": .string("Edited")]))
                _ = try await server.expireDue()
                #expect([200, 403].contains(try await edited.status.code))
                _ = try await server.expireDue()
                let left = try await self.message(message.id, in: id, for: bob)
                #expect(left.text == nil && left.deletedAt != nil)
                #expect(try await expiries(of: [message.id]) == [1])
            }
        }
    }

    @Test func `what the read models have not seen yet goes when they have`() async throws {
        try await serve(isProjecting: false) { blind in
            let (ada, bob) = (try await blind.register(), try await blind.register())
            let id = try await ada.talk(to: bob).id
            let change = ChangeGroup(
                actor: ada.id.uuid,
                name: nil,
                icon: .unchanged,
                joinPolicy: nil,
                historyVisibility: nil,
                retention: .set(3_600)
            )
            _ = try await blind.eventStore.handle(
                .changeGroup(change),
                of: ConversationDecider.self,
                on: id.uuid,
                context: CommandContext(commandID: UUID(), actor: ada.id.uuid, now: clock.now),
                answer: { _ in }
            )
            let message = try await ada.say("Unseen", in: id)
            #expect(message.expiresAt == clock.later(by: 3_600))
            clock.advance(by: 3_600)
            #expect(try await blind.expireDue() == nil)
            try await blind.dependencies.expirer.endTurn()
            try await serve { server in
                let seeing = Person(server: server, session: ada.session, email: ada.email)
                let before = try await seeing.texts(in: id)
                #expect(before == ["Unseen"])
                let next = try await server.expireDue()
                #expect(next == nil)
                let after = try await seeing.texts(in: id)
                #expect(after == [nil])
                #expect(try await expiries(of: [message.id]) == [1])
            }
        }
    }

    @Test func `what is scheduled stays as long as the conversation wants it when it is sent`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let later = try await ada.schedule("Later", in: id, at: clock.now + 60).decode(ScheduledMessage.self)
            _ = try await keep(.number(3_600), in: id, by: bob)
            clock.advance(by: 60)
            try await server.sendDue()
            #expect(try await ada.texts(in: id) == ["Later"])
            #expect(try await message(later.id, in: id, for: bob).expiresAt == clock.later(by: 3_600))
        }
    }
}

extension TestServer {
    /// Takes away what is due, as this server's process would.
    ///
    /// - Returns: when the next is due, as it travels on the wire.
    func expireDue() async throws -> Date? {
        try await dependencies.expirer.expireDue().map { Timestamp.truncate($0) }
    }
}
