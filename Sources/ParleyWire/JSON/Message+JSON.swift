import Foundation

extension Message: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writeIdentity(to: &writer)
            writer.name("replyTo")
            writer.optional(replyTo)
            if let forwardedFrom {
                writer.name("forwardedFrom")
                writer.value(forwardedFrom)
            }
            writer.name("mentions")
            writer.array(mentions)
            writer.name("attachments")
            writer.array(attachments)
            writer.name("reactions")
            writer.array(reactions)
            writeTimes(to: &writer)
            writeReceipts(to: &writer)
        }
    }

    package var weight: Int {
        let texts = (text?.utf8.count ?? 0) + (replyTo?.text?.utf8.count ?? 0)
        let times = (deliveredTo?.count ?? 0) + (readBy?.count ?? 0)
        let given = reactions.reduce(0) { $0 + 60 + 40 * $1.userIds.count }
        return 600 + texts + 40 * mentions.count + 66 * times + given + Attachment.weight * attachments.count
    }

    private func writeIdentity(to writer: inout JSONWriter) {
        writer.name("id")
        writer.id(id)
        writer.name("localId")
        writer.id(localId)
        writer.name("conversationId")
        writer.id(conversationId)
        writer.name("seq")
        writer.optional(seq) { $0.number($1) }
        writer.name("senderId")
        writer.id(senderId)
        writer.name("kind")
        writer.string(kind.rawValue)
        writer.name("text")
        writer.optional(text) { $0.string($1) }
        writer.name("data")
        writer.optional(data)
    }

    private func writeTimes(to writer: inout JSONWriter) {
        writer.name("timestamp")
        writer.time(timestamp)
        writer.name("clientTimestamp")
        writer.optional(clientTimestamp) { $0.time($1) }
        writer.name("editedAt")
        writer.optional(editedAt) { $0.time($1) }
        if let expiresAt {
            writer.name("expiresAt")
            writer.time(expiresAt)
        }
        writer.name("deletedAt")
        writer.optional(deletedAt) { $0.time($1) }
        if let deletedBy {
            writer.name("deletedBy")
            writer.id(deletedBy)
        }
        if let deletedForMe {
            writer.name("deletedForMe")
            writer.bool(deletedForMe)
        }
        if let pinnedAt {
            writer.name("pinnedAt")
            writer.time(pinnedAt)
        }
        if let pinnedBy {
            writer.name("pinnedBy")
            writer.id(pinnedBy)
        }
        writer.name("revision")
        writer.number(revision)
    }

    private func writeReceipts(to writer: inout JSONWriter) {
        writer.name("status")
        writer.optional(status) { $0.string($1.rawValue) }
        writer.name("recipientCount")
        writer.optional(recipientCount) { $0.number($1) }
        writer.name("deliveredCount")
        writer.optional(deliveredCount) { $0.number($1) }
        writer.name("readCount")
        writer.optional(readCount) { $0.number($1) }
        writer.name("deliveredTo")
        writer.optional(deliveredTo) { $0.map($1) { $0.time($1) } }
        writer.name("readBy")
        writer.optional(readBy) { $0.map($1) { $0.time($1) } }
    }
}

extension ForwardedFrom: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("hops")
            writer.number(hops)
        }
    }
}

extension ReplyTo: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.id(id)
            writer.name("seq")
            writer.number(seq)
            writer.name("senderId")
            writer.id(senderId)
            writer.name("text")
            writer.optional(text) { $0.string($1) }
            if let attachments {
                writer.name("attachments")
                writer.array(attachments) { $0.string($1.rawValue) }
            }
        }
    }
}

extension Attachment: JSONWritable {
    /// About what one takes.
    fileprivate static let weight = 1_000

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.id(id)
            writer.name("kind")
            writer.string(kind.rawValue)
            writer.name("contentType")
            writer.string(contentType)
            writer.name("bytes")
            writer.number(bytes)
            writer.name("name")
            writer.optional(name) { $0.string($1) }
            writer.name("width")
            writer.optional(width) { $0.number($1) }
            writer.name("height")
            writer.optional(height) { $0.number($1) }
            writer.name("blurhash")
            writer.optional(blurhash) { $0.string($1) }
            writer.name("durationMs")
            writer.optional(durationMs) { $0.number($1) }
            writer.name("waveform")
            writer.optional(waveform) { $0.array($1) { $0.number($1) } }
            writer.name("url")
            writer.string(url)
            writer.name("thumbnailURL")
            writer.optional(thumbnailURL) { $0.string($1) }
        }
    }
}

extension Mention: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .user(let id): writer.id(id)
        case .all, .other: writer.string(description)
        }
    }
}

extension Reaction: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("emoji")
            writer.string(emoji)
            writer.name("count")
            writer.number(count)
            writer.name("mine")
            writer.bool(mine)
            writer.name("userIds")
            writer.array(userIds) { $0.id($1) }
        }
    }
}

extension JSONValue: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let values): writer.array(values)
        case .object(let members):
            writer.object { writer in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    writer.name(atRunTime: name)
                    writer.value(value)
                }
            }
        }
    }
}
