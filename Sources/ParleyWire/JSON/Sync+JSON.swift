extension SyncSnapshot: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("me")
            writer.value(me)
            writer.name("totalUnread")
            writer.number(totalUnread)
            writer.name("totalUnreadUnmuted")
            writer.number(totalUnreadUnmuted)
            writer.name("totalMentions")
            writer.number(totalMentions)
            writer.name("conversations")
            writer.array(conversations)
            writer.name("nextCursor")
            writer.optional(nextCursor) { $0.string($1) }
            writer.users(users)
            writer.name("cursor")
            writer.string(cursor)
        }
    }
}

extension SyncSnapshot.Entry: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversation")
            writer.value(conversation)
            writer.name("timeline")
            writer.value(timeline)
        }
    }
}

extension SyncDelta.Event: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.optional(id) { $0.string($1) }
            writer.name("event")
            writer.string(event.name)
            writer.name("data")
            writer.value(event)
        }
    }
}
