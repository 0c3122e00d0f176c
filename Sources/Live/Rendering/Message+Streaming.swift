import ParleyWire

extension Message {
    /// How far a message has come is its sender's business.
    var asOthersSeeIt: Message {
        var message = self
        message.status = nil
        message.recipientCount = nil
        message.deliveredCount = nil
        message.readCount = nil
        message.deliveredTo = nil
        message.readBy = nil
        return message
    }
}

extension Message {
    /// As a person sees it who has given these reactions.
    func withReactions(of given: Set<String>) -> Message {
        guard !reactions.isEmpty else { return self }
        var message = self
        for index in message.reactions.indices {
            message.reactions[index].mine = given.contains(message.reactions[index].emoji)
        }
        return message
    }
}

extension Message {
    /// Whose texts the message shows.
    var authors: [WireID] {
        replyTo.map { [senderId, $0.senderId] } ?? [senderId]
    }

    func without(textsOf isErased: (WireID) -> Bool) -> Message {
        var message = self
        if isErased(senderId) { message.forgetContent() }
        if let quote = replyTo, isErased(quote.senderId) { message.replyTo = quote.withoutText }
        return message
    }
}

extension ReplyTo {
    var withoutText: ReplyTo {
        ReplyTo(id: id, seq: seq, senderId: senderId, text: nil, attachments: nil)
    }
}
