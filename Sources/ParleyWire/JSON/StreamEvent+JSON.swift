extension StreamEvent: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .hello(let data): writer.value(data)
        case .messageCreated(let data): writer.value(data)
        case .messageUpdated(let data), .messageDeleted(let data): writer.value(data)
        case .reactionUpdated(let data): writer.value(data)
        case .receiptUpdated(let data): writer.value(data)
        case .conversationCreated(let data), .conversationUpdated(let data): writer.value(data)
        case .conversationRemoved(let data): writer.value(data)
        case .participantAdded(let data), .participantUpdated(let data), .participantRemoved(let data):
            writer.value(data)
        case .userUpdated(let data): writer.value(data)
        case .unreadUpdated(let data): writer.value(data)
        case .memberUpdated(let data): writer.value(data)
        case .typingUpdated(let data): writer.value(data)
        case .blockUpdated(let data): writer.value(data)
        case .presenceUpdated(let data): writer.value(data)
        case .goAway(let data): writer.value(data)
        case .ready, .reset, .ping, .unknown: writer.object { _ in }
        }
    }
}

extension StreamEvent.Hello: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("resumed")
            writer.bool(resumed)
            writer.name("heartbeatSeconds")
            writer.number(heartbeatSeconds)
            writer.name("serverTime")
            writer.time(serverTime)
        }
    }
}

extension StreamEvent.MessageCreated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("message")
            writer.value(message)
            writer.name("sender")
            writer.value(sender)
        }
    }
}

extension StreamEvent.MessageChanged: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("message")
            writer.value(message)
        }
    }
}

extension StreamEvent.ReactionUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("messageId")
            writer.id(messageId)
            writer.name("reactions")
            writer.array(reactions)
            writer.name("revision")
            writer.number(revision)
        }
    }
}

extension StreamEvent.ReceiptUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("receipts")
            writer.array(receipts)
        }
    }
}

extension StreamEvent.ConversationChanged: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversation")
            writer.value(conversation)
        }
    }
}

extension StreamEvent.ConversationRemoved: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("revision")
            writer.number(revision)
        }
    }
}

extension StreamEvent.ParticipantChanged: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("participant")
            writer.value(participant)
        }
    }
}

extension StreamEvent.UserUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("user")
            writer.value(user)
        }
    }
}

extension StreamEvent.UnreadUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("unreadCount")
            writer.number(unreadCount)
            writer.name("mentionCount")
            writer.number(mentionCount)
            writer.name("firstUnreadSeq")
            writer.optional(firstUnreadSeq) { $0.number($1) }
            writer.name("totalUnread")
            writer.number(totalUnread)
            writer.name("totalUnreadUnmuted")
            writer.number(totalUnreadUnmuted)
            writer.name("totalMentions")
            writer.number(totalMentions)
        }
    }
}

extension StreamEvent.MemberUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("me")
            writer.value(me)
        }
    }
}

extension StreamEvent.TypingUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            writer.name("userId")
            writer.id(userId)
            writer.name("typing")
            writer.bool(typing)
            writer.name("expiresInMs")
            writer.number(expiresInMs)
        }
    }
}

extension StreamEvent.BlockUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("userId")
            writer.id(userId)
            writer.name("blockedAt")
            writer.optional(blockedAt) { $0.time($1) }
        }
    }
}

extension StreamEvent.PresenceUpdated: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("userId")
            writer.id(userId)
            writer.name("presence")
            writer.value(presence)
        }
    }
}

extension StreamEvent.GoAway: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("reason")
            writer.string(reason.rawValue)
            writer.name("reconnectInMs")
            writer.number(reconnectInMs)
        }
    }
}
