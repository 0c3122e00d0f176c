import EventSourcing
import Foundation

extension ConversationDecider {
    static func send(
        _ send: SendMessage,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        [try sent(send, as: conversation.headSeq + 1, given: conversation)]
    }

    static func sendMessages(
        _ batch: SendMessages,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        // The second of them comes too soon.
        if let slowMode = conversation.slowMode, batch.messages.count > 1, let sender = batch.messages.first?.sender,
            conversation.members[sender]?.role == .member
        {
            throw .tooSoon(seconds: slowMode.seconds)
        }
        var events: [ConversationEvent] = []
        for (place, message) in batch.messages.enumerated() {
            var earlier: MessageReference?
            if let answered = batch.answers[place], answered < place {
                let seq = conversation.headSeq + 1 + Int64(answered)
                earlier = MessageReference(id: batch.messages[answered].messageID, seq: seq)
            }
            let seq = conversation.headSeq + 1 + Int64(place)
            events.append(try sent(message, as: seq, answering: earlier, given: conversation))
        }
        return events
    }

    private static func sent(
        _ send: SendMessage,
        as seq: Int64,
        answering earlier: MessageReference? = nil,
        given conversation: Conversation
    ) throws(ConversationRejection) -> ConversationEvent {
        let sender = try conversation.member(send.sender, allowedTo: .send)
        if !conversation.isGroup, !conversation.erasedPeople.isEmpty { throw .otherIsErased }
        if send.mentionsAll { try conversation.require(.mentionAll, by: send.sender) }
        try conversation.requireNoBlock(by: send.sender)
        let pacedAt = try paced(send, by: sender, given: conversation)
        // Quoting must not show what reading does not.
        if let replyTo = send.replyTo, conversation.historyVisibility == .joined, replyTo.seq <= sender.fromSeq {
            throw .messageNotVisible
        }
        return .messageSent(
            MessageSent(
                messageID: send.messageID,
                sender: send.sender,
                seq: seq,
                text: send.text,
                replyTo: earlier ?? send.replyTo,
                mentions: send.mentions,
                mentionsAll: send.mentionsAll,
                clientTimestamp: send.clientTimestamp,
                recipientCount: conversation.members.count - 1,
                hops: send.hops,
                retention: conversation.retention,
                pacedAt: pacedAt,
                attachments: send.attachments
            )
        )
    }

    /// Max-merges the advances: marks go only forward, never past the head, and reading implies delivery.
    ///
    /// People who are no members are left out here: merged advances must not fail each other, so each caller is told
    /// from the state afterwards.
    static func advanceReceipts(
        _ advances: [ReceiptAdvance],
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        guard conversation.exists else { throw .notFound }
        var moved: [UUID: ReceiptsAdvanced.Mark] = [:]
        var order: [UUID] = []
        for advance in advances {
            guard let member = conversation.members[advance.person],
                !conversation.erasedPeople.contains(advance.person)
            else { continue }
            let now = moved[advance.person]
            let delivered = now?.deliveredSeq ?? member.deliveredSeq
            let read = now?.readSeq ?? member.readSeq
            let shown = now?.readSeqForOthers ?? member.publicReadSeq
            let asked = min(advance.readSeq ?? 0, conversation.headSeq)
            let newRead = max(read, asked)
            let newShown = advance.isPrivate ? shown : max(shown, asked)
            let newDelivered = max(delivered, newRead, min(advance.deliveredSeq ?? 0, conversation.headSeq))
            guard newRead > read || newDelivered > delivered || newShown > shown else { continue }
            if now == nil { order.append(advance.person) }
            moved[advance.person] = ReceiptsAdvanced.Mark(
                person: advance.person,
                deliveredSeq: newDelivered,
                readSeq: newRead,
                publicReadSeq: newShown == newRead ? nil : newShown
            )
        }
        let marks = order.compactMap { moved[$0] }
        return marks.isEmpty ? [] : [.receiptsAdvanced(ReceiptsAdvanced(marks: marks))]
    }
}
