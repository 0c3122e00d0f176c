import Foundation
import ParleyWire

extension JSONWriter {
    /// The data of `message.created`; nil for a message with parts that are rare enough to be left to `JSONEncoder`.
    static func data(of created: StreamEvent.MessageCreated) -> [UInt8]? {
        let message = created.message
        guard isPlain(message) else { return nil }
        var writer = JSONWriter(reserving: 1_024 + (message.text?.utf8.count ?? 0))
        writer.object { writer in
            writer.name("conversationId")
            writer.id(created.conversationId)
            writer.name("message")
            writer.message(message)
            writer.name("sender")
            writer.object { writer in
                writer.name("displayName")
                writer.optional(created.sender.displayName) { $0.string($1) }
                writer.name("photoURL")
                writer.optional(created.sender.photoURL) { $0.string($1) }
                if let erased = created.sender.erased {
                    writer.name("erased")
                    writer.bool(erased)
                }
            }
        }
        return writer.bytes
    }

    /// A message as an answer tells it; nil as above.
    static func data(of message: Message) -> [UInt8]? {
        guard isPlain(message) else { return nil }
        var writer = JSONWriter(reserving: 768 + (message.text?.utf8.count ?? 0))
        writer.message(message)
        return writer.bytes
    }

    private static func isPlain(_ message: Message) -> Bool {
        message.data == nil && message.attachments.isEmpty && message.reactions.isEmpty
    }

    private mutating func message(_ message: Message) {
        object { writer in
            writer.identity(of: message)
            writer.name("replyTo")
            writer.optional(message.replyTo) { $0.quote($1) }
            writer.name("mentions")
            writer.array(message.mentions) { $0.id($1) }
            writer.name("attachments")
            writer.array(EmptyCollection<Attachment>()) { _, _ in }
            writer.name("reactions")
            writer.array(EmptyCollection<Reaction>()) { _, _ in }
            writer.times(of: message)
            writer.receipts(of: message)
        }
    }

    private mutating func identity(of message: Message) {
        name("id")
        id(message.id)
        name("localId")
        id(message.localId)
        name("conversationId")
        id(message.conversationId)
        name("seq")
        optional(message.seq) { $0.number($1) }
        name("senderId")
        id(message.senderId)
        name("kind")
        string(message.kind.rawValue)
        name("text")
        optional(message.text) { $0.string($1) }
        name("data")
        null()
    }

    private mutating func quote(_ quote: ReplyTo) {
        object { writer in
            writer.name("id")
            writer.id(quote.id)
            writer.name("seq")
            writer.number(quote.seq)
            writer.name("senderId")
            writer.id(quote.senderId)
            writer.name("text")
            writer.optional(quote.text) { $0.string($1) }
        }
    }

    private mutating func times(of message: Message) {
        name("timestamp")
        time(message.timestamp)
        name("clientTimestamp")
        optional(message.clientTimestamp) { $0.time($1) }
        name("editedAt")
        optional(message.editedAt) { $0.time($1) }
        name("deletedAt")
        optional(message.deletedAt) { $0.time($1) }
    }

    private mutating func receipts(of message: Message) {
        name("status")
        optional(message.status) { $0.string($1.rawValue) }
        name("recipientCount")
        optional(message.recipientCount) { $0.number($1) }
        name("deliveredCount")
        optional(message.deliveredCount) { $0.number($1) }
        name("readCount")
        optional(message.readCount) { $0.number($1) }
        name("deliveredTo")
        optional(message.deliveredTo) { $0.moments($1) }
        name("readBy")
        optional(message.readBy) { $0.moments($1) }
    }

    private mutating func moments(_ moments: [WireID: Date]) {
        object { writer in
            for (person, time) in moments {
                writer.name(person)
                writer.time(time)
            }
        }
    }
}
