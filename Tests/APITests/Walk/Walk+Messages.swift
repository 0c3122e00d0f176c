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
        let answer = try await ask(.put, path, actor, .object(body), as: .send)
        guard answer.isDone else { return }
        try take(try answer.decode(Message.self), sent, in: room)
        // Its client has not heard the answer, and asks the other server.
        if random.chance(20) {
            let again = try await ask(.put, path, actor, .object(body), as: .sendAgain)
            #expect(again.status == .ok, "\(again.text)")
            #expect(try again.decode(Message.self).seq == (try answer.decode(Message.self).seq))
        }
    }

    mutating func sendSeveral() async throws {
        let room = anyRoom()
        let actor = anyone(in: room)
        let texts = (0..<3).map { _ in world.text(by: actor.id) }
        let body: JSONValue = ["messages": .array(texts.map { ["text": .string($0.text)] })]
        let answer = try await ask(.post, "\(path(room))/messages", actor, body, as: .sendSeveral)
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
        let answer = try await ask(.patch, path(room, message), actor, ["text": .string(text)], as: .edit)
        if answer.isDone { world.edit(message.id, in: room, to: tag) }
    }

    mutating func delete() async throws {
        guard let (room, message) = anyMessage() else { return }
        let isForAll = random.chance(60)
        let actor = isForAll && random.chance(70) ? person(message.sender) : anyone()
        let query = isForAll ? "?for=everyone" : "?for=me"
        let command: WalkCommand = isForAll ? .deleteForAll : .hide
        let answer = try await ask(.delete, path(room, message) + query, actor, as: command)
        guard answer.isDone else { return }
        world.change(message.id, in: room) { message in
            if isForAll { message.isDeleted = true } else { message.hiddenFrom.insert(actor.id) }
        }
    }

    /// Reacts, or takes back what somebody has given, mostly the own.
    mutating func react() async throws {
        let adds = random.chance(70)
        let given = adds ? nil : anyMessage { $0.reactions.values.contains { !$0.isEmpty } }
        guard let (room, message) = given ?? anyMessage() else { return }
        let emoji = ["\u{1F44D}", "\u{2764}\u{FE0F}"][Int.random(in: 0..<2, using: &random)]
        let isGiven = { (person: LivePerson) in message.reactions[emoji]?.contains(person.id) == true }
        let giver = adds || random.chance(20) ? nil : people.filter(isGiven).randomElement(using: &random)
        let actor = giver ?? anyone()
        let path = path(room, message) + "/reactions/" + Self.escaped(emoji)
        let command: WalkCommand? = adds ? .react : isGiven(actor) ? .unreact : nil
        _ = try await ask(adds ? .put : .delete, path, actor, as: command) { world in
            world.change(message.id, in: room) { $0.react(emoji, actor.id, adds: adds) }
        }
    }

    private static func escaped(_ emoji: String) -> String {
        emoji.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
    }

    mutating func pin() async throws {
        let adds = random.chance(70)
        let pinned = adds ? nil : anyMessage { $0.pinnedBy != nil }
        guard let (room, message) = pinned ?? anyMessage() else { return }
        let actor = anyone()
        let command: WalkCommand? = adds ? .pin : message.pinnedBy != nil ? .unpin : nil
        _ = try await ask(adds ? .put : .delete, path(room, message) + "/pin", actor, as: command) { world in
            world.change(message.id, in: room) { $0.pinnedBy = adds ? $0.pinnedBy ?? actor.id : nil }
        }
    }

    mutating func star() async throws {
        let adds = random.chance(70)
        guard let (room, message) = anyMessage() else { return }
        let command: WalkCommand = adds ? .star : .unstar
        _ = try await ask(adds ? .put : .delete, path(room, message) + "/star", anyone(), as: command)
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
            ],
            as: nil
        )
        let items = answer.isDone ? try answer.decode(ForwardAnswer.self).items : []
        tally.note(.forward, isDone: items.contains { $0.message != nil })
        for item in items {
            guard let copy = item.message else { continue }
            // Who has left passes on what was said then.
            let tags = message.tags.last { world.isShown($0, to: actor.id) }
            try take(
                copy,
                WalkWorld.Sent(id: copy.id.uuid, seq: 0, sender: actor.id, tags: tags.map { [$0] } ?? []),
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
        let answer = try await ask(.post, "/v1/receipts", actor, ["receipts": .array([mark])], as: nil) { world in
            world.advance(actor.id, in: room, delivered: isDelivery ? seq : 0, read: isDelivery ? 0 : seq)
        }
        guard answer.isDone else { return }
        let marked = try answer.decode(ReceiptsAnswer.self).items.first
        let isMember = world.rooms[room]?.members.contains(actor.id) == true
        tally.note(.advanceReceipts, isDone: marked?.deliveredSeq != nil)
        #expect(marked?.deliveredSeq == (isMember ? world.rooms[room]?.spans[actor.id]?.last?.delivered : nil))
    }

    mutating func markUnread() async throws {
        let room = anyRoom()
        let seq = Int.random(in: 1...(world.rooms[room]?.messages.count ?? 0) + 1, using: &random)
        let body: JSONValue = ["fromSeq": .number(Double(seq))]
        _ = try await ask(.post, "\(path(room))/unread", anyone(in: room), body, as: .markUnread)
    }
}
