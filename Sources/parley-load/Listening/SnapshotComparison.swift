import Foundation
import ParleyWire

/// Says where a client that followed the events differs from one that has just started.
struct SnapshotComparison {
    let followed: Reducer
    let fresh: SyncSnapshot

    func differences() -> [String] {
        var differences: [String] = []
        // Presence comes and goes without an event of its own.
        var me = followed.me
        me.presence = fresh.me.presence
        if me != fresh.me { differences.append("me") }
        if followed.totalUnread != fresh.totalUnread {
            differences.append("totalUnread \(followed.totalUnread), fresh \(fresh.totalUnread)")
        }
        let ids = Set(fresh.conversations.map(\.conversation.id))
        for id in Set(followed.conversations.keys).subtracting(ids).sorted() {
            differences.append("conversation \(id) is not in the fresh snapshot")
        }
        for entry in fresh.conversations { differences += compare(entry) }
        for (id, summary) in fresh.users where followed.users[id].map({ $0 != summary }) ?? false {
            differences.append(
                "user \(id) is \((followed.users[id]?.displayName).text), fresh \(summary.displayName.text)"
            )
        }
        return differences
    }

    private func compare(_ entry: SyncSnapshot.Entry) -> [String] {
        let fresh = entry.conversation
        guard let followed = followed.conversations[fresh.id] else { return ["conversation \(fresh.id) is missing"] }
        var fields: [String] = []
        func check(_ name: String, _ ours: some CustomStringConvertible, _ theirs: some CustomStringConvertible) {
            let (ours, theirs) = (ours.description, theirs.description)
            if ours != theirs { fields.append("\(name) \(ours.prefix(60)), fresh \(theirs.prefix(60))") }
        }
        check("headSeq", followed.headSeq, fresh.headSeq)
        check("unreadCount", followed.unreadCount, fresh.unreadCount)
        check("mentionCount", followed.mentionCount, fresh.mentionCount)
        check("firstUnreadSeq", followed.firstUnreadSeq.text, fresh.firstUnreadSeq.text)
        check("delivered", followed.me.deliveredSeq, fresh.me.deliveredSeq)
        check("read", followed.me.readSeq, fresh.me.readSeq)
        if followed.me != fresh.me { fields.append("me") }
        check("groupName", followed.groupName.text, fresh.groupName.text)
        check("participantCount", followed.participantCount, fresh.participantCount)
        check("lastMessage", (followed.lastMessage?.seq).text, (fresh.lastMessage?.seq).text)
        if followed.lastMessage != fresh.lastMessage { fields.append("lastMessage") }
        check("updatedAt", Timestamp.format(followed.updatedAt), Timestamp.format(fresh.updatedAt))
        fields += compareParticipants(followed, fresh)
        if rest(followed) != rest(fresh) { fields.append("type, icon, policies or creation") }
        fields += compareTimelines(self.followed.timelines[fresh.id] ?? [], entry.timeline.items)
        return fields.isEmpty ? [] : ["conversation \(fresh.id): " + fields.joined(separator: ", ")]
    }

    private func compareParticipants(_ followed: Conversation, _ fresh: Conversation) -> [String] {
        if followed.participants == fresh.participants, followed.participantIds == fresh.participantIds { return [] }
        guard let ours = followed.participants, let theirs = fresh.participants else {
            return ["participants: \((followed.participants?.count).text), fresh \((fresh.participants?.count).text)"]
        }
        let odd = Set(ours).symmetricDifference(theirs)
        return ["participants: \(odd.count) differ, like \((odd.first?.displayName).text), or their order"]
    }

    private func compareTimelines(_ followed: [Message], _ fresh: [Message]) -> [String] {
        let ours = followed.map(\.seq)
        guard ours == fresh.map(\.seq) else {
            return ["timeline \(ours.compactMap(\.self)), fresh \(fresh.compactMap(\.seq))"]
        }
        return zip(followed, fresh).compactMap { ours, theirs in
            let areUncertain = self.followed.uncertainReceipts.contains(theirs.id) || theirs.recipientCount ?? 0 > 50
            var (ours, theirs) = areUncertain ? (ours.withoutReceipts, theirs.withoutReceipts) : (ours, theirs)
            // Their URLs hold for a while only, and are made anew each time.
            (ours.attachments, theirs.attachments) = (
                ours.attachments.map(\.withoutURLs), theirs.attachments.map(\.withoutURLs)
            )
            guard ours != theirs else { return nil }
            guard ours.withoutReceipts == theirs.withoutReceipts else { return "message \(theirs.seq.text)" }
            return "message \(theirs.seq.text) \(ours.receiptText), fresh \(theirs.receiptText)"
        }
    }

    private func rest(_ conversation: Conversation) -> [String] {
        [
            conversation.type.rawValue, conversation.groupIcon.text, (conversation.joinPolicy?.rawValue).text,
            (conversation.historyVisibility?.rawValue).text, conversation.createdBy.description,
            Timestamp.format(conversation.createdAt),
        ]
    }
}

extension Message {
    var withoutReceipts: Message {
        var message = self
        message.status = nil
        message.recipientCount = nil
        message.deliveredCount = nil
        message.readCount = nil
        message.deliveredTo = nil
        message.readBy = nil
        return message
    }

    /// For people: how far the message has come.
    var receiptText: String {
        let times = (deliveredTo ?? [:]).sorted { $0.key < $1.key }.map { Timestamp.format($0.value).suffix(13) }
        return
            "\((status?.rawValue).text) \(deliveredCount.text)+\(readCount.text)/\(recipientCount.text) "
            + "\(times.prefix(3))"
    }
}

extension Attachment {
    fileprivate var withoutURLs: Attachment {
        var attachment = self
        (attachment.url, attachment.thumbnailURL) = ("", nil)
        return attachment
    }
}
