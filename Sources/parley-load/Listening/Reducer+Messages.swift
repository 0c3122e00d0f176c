import ParleyWire

/// What becomes of messages after they were sent.
extension Reducer {
    /// A message that says something else, or nothing any more: shown so in its place, where it is quoted, and in the list.
    mutating func apply(_ changed: StreamEvent.MessageChanged) {
        let (id, message) = (changed.conversationId, changed.message)
        change(message.id, in: id) { known in
            if message.revision >= known.revision { known = message }
        }
        for index in timelines[id, default: []].indices where timelines[id]?[index].replyTo?.id == message.id {
            timelines[id]?[index].replyTo?.text = message.text
        }
        if conversations[id]?.lastMessage?.id == message.id {
            conversations[id]?.lastMessage?.text = message.text
            conversations[id]?.lastMessage?.deletedAt = message.deletedAt
        }
        recountReceipts(in: id)
    }

    mutating func apply(_ updated: StreamEvent.ReactionUpdated) {
        change(updated.messageId, in: updated.conversationId) { known in
            guard updated.revision >= known.revision else { return }
            known.reactions = updated.reactions
            known.revision = updated.revision
        }
    }

    /// What an erased person has given is gone with the person.
    mutating func forget(reactionsOf person: WireID) {
        for id in timelines.keys {
            for index in timelines[id, default: []].indices {
                guard var reactions = timelines[id]?[index].reactions, !reactions.isEmpty else { continue }
                for place in reactions.indices where reactions[place].userIds.contains(person) {
                    reactions[place].userIds.removeAll { $0 == person }
                    reactions[place].count -= 1
                }
                timelines[id]?[index].reactions = reactions.filter { $0.count > 0 }
            }
        }
    }

    private mutating func change(_ message: WireID, in conversation: WireID, _ body: (inout Message) -> Void) {
        guard let index = timelines[conversation]?.firstIndex(where: { $0.id == message }) else { return }
        timelines[conversation]?[index].apply(body)
    }
}

extension Message {
    fileprivate mutating func apply(_ body: (inout Message) -> Void) { body(&self) }
}
