extension Conversation: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writeSettings(to: &writer)
            writeMembers(to: &writer)
            writer.name("lastMessage")
            writer.optional(lastMessage)
            writeCounts(to: &writer)
            writer.name("me")
            writer.value(me)
            writer.name("createdBy")
            writer.id(createdBy)
            writer.name("createdAt")
            writer.time(createdAt)
            writer.name("updatedAt")
            writer.time(updatedAt)
            writer.name("revision")
            writer.number(revision)
            if let users { writer.users(users) }
            writer.warnings(warnings)
        }
    }

    package var weight: Int {
        let texts = (lastMessage?.text?.utf8.count ?? 0) + (me.draft?.utf8.count ?? 0)
        let members = participants?.reduce(0) { $0 + $1.weight } ?? 0
        return 800 + texts + members + (users?.weight ?? 0)
    }

    private func writeSettings(to writer: inout JSONWriter) {
        writer.name("id")
        writer.id(id)
        writer.name("type")
        writer.string(type.rawValue)
        writer.name("groupName")
        writer.optional(groupName) { $0.string($1) }
        writer.name("groupIcon")
        writer.optional(groupIcon) { $0.string($1) }
        writer.name("joinPolicy")
        writer.optional(joinPolicy) { $0.string($1.rawValue) }
        writer.name("historyVisibility")
        writer.optional(historyVisibility) { $0.string($1.rawValue) }
        writer.name("permissions")
        writer.optional(permissions)
        writer.name("retentionSeconds")
        writer.optional(retentionSeconds) { $0.number($1) }
        writer.name("slowModeSeconds")
        writer.optional(slowModeSeconds) { $0.number($1) }
    }

    private func writeMembers(to writer: inout JSONWriter) {
        if let participantIds {
            writer.name("participantIds")
            writer.array(participantIds) { $0.id($1) }
        }
        writer.name("participantCount")
        writer.number(participantCount)
        if let participants {
            writer.name("participants")
            writer.array(participants)
        }
    }

    private func writeCounts(to writer: inout JSONWriter) {
        writer.name("headSeq")
        writer.number(headSeq)
        writer.name("unreadCount")
        writer.number(unreadCount)
        writer.name("mentionCount")
        writer.number(mentionCount)
        writer.name("firstUnreadSeq")
        writer.optional(firstUnreadSeq) { $0.number($1) }
    }
}

extension GroupPermissions: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("send")
            writer.string(send.rawValue)
            writer.name("addMembers")
            writer.string(addMembers.rawValue)
            writer.name("changeInfo")
            writer.string(changeInfo.rawValue)
            writer.name("pin")
            writer.string(pin.rawValue)
        }
    }
}

extension LastMessage: JSONWritable {
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
            writer.name("kind")
            writer.string(kind.rawValue)
            if let attachments {
                writer.name("attachments")
                writer.array(attachments) { $0.string($1.rawValue) }
            }
            writer.name("timestamp")
            writer.time(timestamp)
            if let deletedAt {
                writer.name("deletedAt")
                writer.time(deletedAt)
            }
        }
    }
}

extension MemberSettings: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("role")
            writer.string(role.rawValue)
            writer.name("deliveredSeq")
            writer.number(deliveredSeq)
            writer.name("readSeq")
            writer.number(readSeq)
            writer.name("mutedUntil")
            writer.optional(mutedUntil) { $0.time($1) }
            writer.name("notificationLevel")
            writer.string(notificationLevel.rawValue)
            writer.name("archived")
            writer.bool(archived)
            writer.name("pinned")
            writer.bool(pinned)
            writer.name("pinnedAt")
            writer.optional(pinnedAt) { $0.time($1) }
            writer.name("draft")
            writer.optional(draft) { $0.string($1) }
            writer.name("draftUpdatedAt")
            writer.optional(draftUpdatedAt) { $0.time($1) }
            writer.name("markedUnread")
            writer.bool(markedUnread)
            writer.name("cleared")
            writer.bool(cleared)
            if let leftAt {
                writer.name("leftAt")
                writer.time(leftAt)
            }
        }
    }
}
