import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// What is done with messages.
extension Walk {
    mutating func send() async throws {
        let room = anyRoom()
        let actor = anyone(in: room)
        let (tag, text) = world.text(by: actor.id)
        var sent = WalkWorld.Sent(id: UUID(), seq: 0, sender: actor.id, tags: [tag])
        var body: [String: JSONValue] = ["text": .string(text)]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: sent.mentionsAll = true
        case 1, 2: sent.mentions = [anyone().id]
        default: break
        }
        let mentions = (sent.mentionsAll ? ["@all"] : []) + sent.mentions.map { WireID($0).description }
        if !mentions.isEmpty { body["mentions"] = .array(mentions.map { .string($0) }) }
        if random.chance(30), let quoted = anyMessage() {
            body["replyToId"] = .string(WireID(quoted.sent.id).description)
        }
        if random.chance(10) {
            let file = try await upload(Array("A file".utf8), "kind=file&name=notes.txt", "text/plain", actor)
            body["attachmentIds"] = .array([.string(WireID(file).description)])
        }
        let path = "\(path(room))/messages/\(WireID(sent.id))"
        let answer = try await ask(.put, path, actor, .object(body))
        guard answer.isDone else { return }
        try take(try answer.decode(Message.self), sent, in: room)
        // Its client has not heard the answer, and asks the other server.
        if random.chance(20) {
            let again = try await ask(.put, path, actor, .object(body))
            #expect(again.status == .ok, "\(again.text)")
            #expect(try again.decode(Message.self).seq == (try answer.decode(Message.self).seq))
        }
    }

    mutating func sendSeveral() async throws {
        let room = anyRoom()
        let actor = anyone(in: room)
        let texts = (0..<3).map { _ in world.text(by: actor.id) }
        let body: JSONValue = ["messages": .array(texts.map { ["text": .string($0.text)] })]
        let answer = try await ask(.post, "\(path(room))/messages", actor, body)
        guard answer.isDone else { return }
        for (message, text) in zip(try answer.decode(MessagesAnswer.self).items, texts) {
            let sent = WalkWorld.Sent(id: message.id.uuid, seq: 0, sender: actor.id, tags: [text.tag])
            try take(message, sent, in: room)
        }
    }

    /// - Parameter sent: all but its `seq`.
    mutating func take(_ message: Message, _ sent: WalkWorld.Sent, in room: UUID) throws {
        let seq = try #require(message.seq)
        #expect(seq == Int64(world.rooms[room]?.messages.count ?? 0) + 1)
        // It goes by what was wanted when it was sent, whatever becomes of that.
        let retention = world.rooms[room]?.settings.retention
        let expiresAt = retention.map { Timestamp.milliseconds(of: message.timestamp) + Int64($0) * 1_000 }
        #expect(message.expiresAt.map { Timestamp.milliseconds(of: $0) } == expiresAt)
        let known = WalkWorld.Sent(
            id: sent.id,
            seq: seq,
            sender: sent.sender,
            // Whoever is not there cannot be mentioned.
            mentions: Set(message.mentions.compactMap { $0.userID?.uuid }),
            mentionsAll: sent.mentionsAll,
            tags: sent.tags,
            files: message.attachments.map(\.id.uuid),
            expiresAt: expiresAt
        )
        world.send(known, in: room)
    }

    mutating func edit() async throws {
        guard let (room, message) = anyMessage() else { return }
        let actor = random.chance(80) ? person(message.sender) : anyone()
        let (tag, text) = world.text(by: actor.id)
        let answer = try await ask(.patch, path(room, message), actor, ["text": .string(text)])
        if answer.isDone { world.edit(message.id, in: room, to: tag) }
    }

    mutating func delete() async throws {
        guard let (room, message) = anyMessage() else { return }
        let isForAll = random.chance(60)
        let actor = isForAll && random.chance(70) ? person(message.sender) : anyone()
        let query = isForAll ? "?for=everyone" : "?for=me"
        let answer = try await ask(.delete, path(room, message) + query, actor)
        guard answer.isDone else { return }
        world.change(message.id, in: room) { message in
            if isForAll { message.isDeleted = true } else { message.hiddenFrom.insert(actor.id) }
        }
    }

    mutating func react() async throws {
        guard let (room, message) = anyMessage() else { return }
        let emoji = ["%F0%9F%91%8D", "%E2%9D%A4%EF%B8%8F"][Int.random(in: 0..<2, using: &random)]
        _ = try await ask(random.chance(70) ? .put : .delete, path(room, message) + "/reactions/\(emoji)", anyone())
    }

    /// Pins and stars.
    mutating func mark() async throws {
        guard let (room, message) = anyMessage() else { return }
        let mark = random.chance(50) ? "pin" : "star"
        _ = try await ask(random.chance(70) ? .put : .delete, path(room, message) + "/\(mark)", anyone())
    }

    mutating func forward() async throws {
        guard let (room, message) = anyMessage() else { return }
        let targets = Array(Set([anyRoom(), anyRoom()]))
        let actor = anyone()
        let answer = try await ask(
            .post,
            path(room, message) + "/forward",
            actor,
            [
                "conversationIds": .array(targets.map { .string(WireID($0).description) })
            ]
        )
        guard answer.isDone else { return }
        for item in try answer.decode(ForwardAnswer.self).items {
            guard let copy = item.message else { continue }
            let tags = message.tags.suffix(1)
            try take(
                copy,
                WalkWorld.Sent(id: copy.id.uuid, seq: 0, sender: actor.id, tags: Array(tags)),
                in: item.conversationId.uuid
            )
        }
    }

    mutating func advanceReceipts() async throws {
        let room = anyRoom()
        let actor = anyone(in: room)
        let seq = Int64.random(in: 1...(world.rooms[room]?.headSeq ?? 0) + 1, using: &random)
        let isDelivery = random.chance(30)
        let mark: JSONValue = [
            "conversationId": .string(WireID(room).description),
            isDelivery ? "deliveredSeq" : "readSeq": .number(Double(seq)),
        ]
        let answer = try await ask(.post, "/v1/receipts", actor, ["receipts": .array([mark])]) { world in
            world.advance(actor.id, in: room, delivered: isDelivery ? seq : 0, read: isDelivery ? 0 : seq)
        }
        guard answer.isDone else { return }
        let told = try answer.decode(ReceiptsAnswer.self).items.first
        let isMember = world.rooms[room]?.members.contains(actor.id) == true
        #expect(told?.deliveredSeq == (isMember ? world.rooms[room]?.spans[actor.id]?.last?.delivered : nil))
    }

    mutating func markUnread() async throws {
        let room = anyRoom()
        let seq = Int.random(in: 1...(world.rooms[room]?.messages.count ?? 0) + 1, using: &random)
        _ = try await ask(.post, "\(path(room))/unread", anyone(in: room), ["fromSeq": .number(Double(seq))])
    }
}
