import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import ReadModels
import TestSupport
import Testing

@testable import API

/// What people expect of any messenger, as apps do it: over HTTP and streams alone.
@Suite(.database, .timeLimit(.minutes(10))) struct MessengerScenarioTests {
    @Test func `20 messages that are sent fast arrive in order`() async throws {
        try await LiveServer.with { server in
            let (ada, bob) = (try await server.person("Ada"), try await server.person("Bob"))
            let chat = try await server.chat(ada, with: bob)
            let stream = try await server.readyStream(of: bob)
            let texts = (1...20).map { "Message \($0)" }
            for text in texts { try await server.send(text, to: chat, by: ada) }
            var seen: [Message] = []
            for _ in texts {
                guard case .messageCreated(let created) = try await stream.next(.messageCreated) else { return }
                seen.append(created.message)
            }
            #expect(seen.map(\.text) == texts)
            #expect(seen.map(\.seq) == (1...20).map { Int64($0) })
            #expect(try await server.history(of: chat, as: bob).map(\.text) == texts)
            while case .unreadUpdated(let unread) = try await stream.next(.unreadUpdated) {
                if unread.unreadCount == 20 { break }
            }
        }
    }

    @Test func `3 and 5 messages wait for somebody who is offline`() async throws {
        try await LiveServer.with { server in
            let (ada, bob, carol) = (
                try await server.person("Ada"), try await server.person("Bob"), try await server.person("Carol")
            )
            let chats = [try await server.chat(ada, with: bob), try await server.chat(carol, with: bob)]
            let before = try await server.readyStream(of: bob)
            let cursor = before.lastID
            before.cut()
            for number in 1...3 { try await server.send("Ada's \(number)", to: chats[0], by: ada) }
            for number in 1...5 { try await server.send("Carol's \(number)", to: chats[1], by: carol) }
            let stream = try await server.stream(of: bob, since: cursor)
            var texts: [WireID: [String?]] = [:]
            var unread: [WireID: Int] = [:]
            var total = 0
            while let event = await stream.next(), event.name != "ready" {
                switch try StreamEvent(event) {
                case .messageCreated(let created):
                    texts[created.conversationId, default: []].append(created.message.text)
                case .unreadUpdated(let update):
                    unread[update.conversationId] = update.unreadCount
                    total = update.totalUnread
                case _: break
                }
            }
            #expect(texts[chats[0]] == (1...3).map { "Ada's \($0)" })
            #expect(texts[chats[1]] == (1...5).map { "Carol's \($0)" })
            #expect(unread == [chats[0]: 3, chats[1]: 5] && total == 8)
            // A device that was never there before asks for a snapshot.
            let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync", as: bob)
            #expect(snapshot.totalUnread == 8)
        }
    }

    @Test func `10 messages come once each over a connection that is cut again and again`() async throws {
        try await LiveServer.with { server in
            let (ada, bob) = (try await server.person("Ada"), try await server.person("Bob"))
            let chat = try await server.chat(ada, with: bob)
            var stream = try await server.readyStream(of: bob)
            var cursor = stream.lastID
            var texts: [String?] = []
            func take(_ event: SentEvents.Event) throws {
                if case .messageCreated(let created) = try StreamEvent(event) { texts.append(created.message.text) }
                cursor = event.lastID
            }
            for number in 1...10 {
                // Sometimes the connection is gone before the message comes, sometimes right after it.
                if number.isMultiple(of: 2) { stream.cut() }
                try await server.send("\(number)", to: chat, by: ada)
                if number.isMultiple(of: 3) { stream.cut() }
                if number.isMultiple(of: 2) || number.isMultiple(of: 3) {
                    while let event = await stream.next() { try take(event) }
                    stream = try await server.stream(of: bob, since: cursor)
                }
                while texts.count < number {
                    guard let event = await stream.next() else { throw LiveStream.StreamOver() }
                    try take(event)
                }
            }
            #expect(texts == (1...10).map { "\($0)" })
        }
    }

    @Test func `a client that is killed in the middle of a send tries again, and the message is there once`()
        async throws
    {
        try await LiveServer.with { server in
            let (ada, bob) = (try await server.person("Ada"), try await server.person("Bob"))
            let chat = try await server.chat(ada, with: bob)
            let stream = try await server.readyStream(of: bob)
            let id = WireID()
            let body = #"{"text":"Only once"}"#
            let request = """
                PUT /v1/conversations/\(chat)/messages/\(id) HTTP/1.1\r
                Host: localhost\r
                Authorization: Bearer \(ada.token)\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """
            // At every part of the request, and after it, without hearing the answer.
            for length in [20, request.utf8.count - body.utf8.count, request.utf8.count - 1, request.utf8.count] {
                try await RawConnection.with(port: server.port) { connection in
                    try await connection.say(Array(request.utf8.prefix(length)))
                }
            }
            let answer = try await server.send("Only once", to: chat, by: ada, id: id)
            #expect(answer.id == id && answer.seq == 1)
            #expect(try await server.send("Only once", to: chat, by: ada, id: id) == answer)
            try await server.send("And then", to: chat, by: ada)
            #expect(try await [stream.nextText(), stream.nextText()] == ["Only once", "And then"])
            #expect(try await server.history(of: chat, as: ada).map(\.text) == ["Only once", "And then"])
        }
    }

    @Test func `in a group of three all see a 👍, and that it is taken back`() async throws {
        try await LiveServer.with { server in
            let people = [
                try await server.person("Ada"), try await server.person("Bob"), try await server.person("Carol"),
            ]
            let group = WireID()
            let others = people.dropFirst().map { #""\#(WireID($0.id))""# }.joined(separator: ",")
            try await server.ask(
                .put,
                "/v1/conversations/\(group)",
                #"{"groupName":"Three","participantIds":[\#(others)]}"#,
                as: people[0]
            )
            let message = try await server.send("Lunch?", to: group, by: people[0])
            var streams: [LiveStream] = []
            for person in people { streams.append(try await server.readyStream(of: person)) }
            let path = "/v1/conversations/\(group)/messages/\(message.id)/reactions/%F0%9F%91%8D"
            try await server.ask(.put, path, as: people[1])
            for (person, stream) in zip(people, streams) {
                guard case .reactionUpdated(let update) = try await stream.next(.reactionUpdated) else { return }
                #expect(update.messageId == message.id)
                #expect(update.reactions.map(\.emoji) == ["👍"] && update.reactions.map(\.count) == [1])
                #expect(update.reactions.map(\.userIds) == [[WireID(people[1].id)]])
                #expect(update.reactions.map(\.mine) == [person == people[1]])
            }
            try await server.ask(.delete, path, as: people[1])
            for stream in streams {
                guard case .reactionUpdated(let update) = try await stream.next(.reactionUpdated) else { return }
                #expect(update.reactions.isEmpty)
            }
            #expect(try await server.history(of: group, as: people[2]).map(\.reactions) == [[]])
        }
    }

    @Test func `receipts turn from sent to delivered to read`() async throws {
        try await LiveServer.with { server in
            let (ada, bob) = (try await server.person("Ada"), try await server.person("Bob"))
            let chat = try await server.chat(ada, with: bob)
            let author = try await server.readyStream(of: ada)
            let sent = try await server.send("Are you there?", to: chat, by: ada)
            #expect(sent.status == .sent && sent.recipientCount == 1)
            for (mark, status) in [("deliveredSeq", MessageStatus.delivered), ("readSeq", .read)] {
                try await server.ask(
                    .post,
                    "/v1/receipts",
                    #"{"receipts":[{"conversationId":"\#(chat)","\#(mark)":1}]}"#,
                    as: bob
                )
                guard case .receiptUpdated(let update) = try await author.next(.receiptUpdated) else { return }
                #expect(update.conversationId == chat && update.receipts.map(\.userId) == [WireID(bob.id)])
                #expect(update.receipts.map(\.deliveredSeq) == [1])
                #expect(update.receipts.map(\.readSeq) == [status == .read ? 1 : 0])
                let message = try #require(try await server.history(of: chat, as: ada).first)
                #expect(message.status == status)
                #expect(message.readBy?.keys.contains(WireID(bob.id)) == (status == .read))
            }
            let conversation = try await server.get(Conversation.self, "/v1/conversations/\(chat)", as: bob)
            #expect(conversation.unreadCount == 0 && conversation.me.readSeq == 1)
        }
    }
}

extension LiveServer {
    @discardableResult
    fileprivate func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        as person: LivePerson
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.authorization: "Bearer \(person.token)"]
        if body != nil { headers[.contentType] = "application/json" }
        let answer = try await client.execute(
            uri: path,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        )
        try #require((200..<300).contains(answer.status.code), "\(String(buffer: answer.body))")
        return answer
    }

    fileprivate func chat(_ person: LivePerson, with other: LivePerson) async throws -> WireID {
        let answer = try await ask(.put, "/v1/conversations/direct/\(WireID(other.id))", as: person)
        return try WireJSON.decoder().decode(Conversation.self, from: Data(answer.body.readableBytesView)).id
    }

    @discardableResult
    fileprivate func send(
        _ text: String,
        to chat: WireID,
        by person: LivePerson,
        id: WireID = WireID()
    ) async throws -> Message {
        SecretWatch.add(text)
        let path = "/v1/conversations/\(chat)/messages/\(id)"
        let answer = try await ask(.put, path, #"{"text":"\#(text)"}"#, as: person)
        return try WireJSON.decoder().decode(Message.self, from: Data(answer.body.readableBytesView))
    }

    /// What people have said, as far as the read models show what the log holds now.
    fileprivate func history(of chat: WireID, as person: LivePerson) async throws -> [Message] {
        let heads = try await eventStore.log.heads()
        let places = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0, $1) })
        _ = try await checkpoints.wait(for: places, timeout: .seconds(60))
        let page = try await get(HistoryPage.self, "/v1/conversations/\(chat)/messages?limit=200", as: person)
        return page.items.filter { $0.kind == .text }
    }
}
