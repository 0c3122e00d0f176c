extension ScheduledMessage: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.id(id)
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("sendAt")
            writer.time(sendAt)
            writer.name("status")
            writer.string(status.rawValue)
            writer.name("text")
            writer.string(text)
            writer.name("replyToId")
            writer.optional(replyToId) { $0.id($1) }
            if let attachmentIds {
                writer.name("attachmentIds")
                writer.array(attachmentIds) { $0.id($1) }
            }
            writer.name("mentions")
            writer.array(mentions)
            writer.name("clientTimestamp")
            writer.optional(clientTimestamp) { $0.time($1) }
            writer.name("failure")
            writer.optional(failure)
            writer.name("createdAt")
            writer.time(createdAt)
        }
    }

    package var weight: Int { 400 + text.utf8.count + 40 * mentions.count }
}

extension ScheduledMessage.Failure: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("code")
            writer.string(code)
            writer.name("failedAt")
            writer.time(failedAt)
        }
    }
}
