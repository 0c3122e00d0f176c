import ParleyWire

extension Message {
    /// Everyone whom it names, some more than once.
    var named: [WireID] {
        var people = [senderId] + mentions.compactMap(\.userID)
        people += [replyTo?.senderId, deletedBy, pinnedBy].compactMap { $0 }
        for reaction in reactions { people += reaction.userIds }
        if let deliveredTo { people += deliveredTo.keys }
        return people
    }
}

extension Conversation {
    /// Everyone whom it names, some more than once.
    var named: [WireID] {
        var people = [createdBy] + (participantIds ?? [])
        if let lastMessage { people.append(lastMessage.senderId) }
        return people
    }
}
