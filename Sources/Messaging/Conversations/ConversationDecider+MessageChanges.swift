import EventSourcing
import Foundation

extension ConversationDecider {
    static func editMessage(
        _ edit: EditMessage,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let editor = try conversation.member(edit.editor, allowedTo: .changeOwnMessage)
        let message = try conversation.current(edit.message, seenBy: editor)
        guard message.sender == edit.editor else { throw .notTheAuthor }
        guard !message.isDeleted else { throw .messageIsDeleted }
        // As its author has left it: nothing to keep a version of.
        if let text = message.text, text.utf8.elementsEqual(edit.text.utf8) { return [] }
        // Another text is as good as another message.
        try conversation.requireNoBlock(by: edit.editor)
        guard edit.now.timeIntervalSince(message.sentAt) <= edit.window else { throw .editedTooLate }
        return [.messageEdited(MessageEdited(messageID: message.id, seq: message.seq, text: edit.text))]
    }

    static func deleteMessage(
        _ delete: DeleteMessage,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let member = try conversation.member(delete.actor, allowedTo: .changeOwnMessage)
        let message = try conversation.current(delete.message, seenBy: member)
        if message.sender != delete.actor {
            guard conversation.isGroup else { throw .notTheAuthor }
            try conversation.require(.deleteOthersMessage, by: delete.actor)
        }
        if message.isDeleted { return [] }
        return [
            .messageDeleted(MessageDeleted(messageID: message.id, seq: message.seq, sender: message.sender))
        ]
    }

    static func react(
        _ react: React,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let member = try conversation.member(react.person, allowedTo: .react)
        let message = try conversation.current(react.message, seenBy: member, for: react.person, react.emoji)
        guard !message.isDeleted else { throw .messageIsDeleted }
        guard message.hasReacted != react.isAdded else { return [] }
        var counts = message.reactions
        if react.isAdded {
            try conversation.requireNoBlock(by: react.person)
            guard counts[react.emoji] != nil || counts.count < React.maxKinds else { throw .tooManyReactionKinds }
            counts[react.emoji, default: 0] += 1
        } else {
            let left = counts[react.emoji, default: 1] - 1
            counts[react.emoji] = left > 0 ? left : nil
        }
        let changed = ReactionChanged(
            messageID: message.id,
            seq: message.seq,
            person: react.person,
            emoji: react.emoji,
            counts: counts
        )
        return [react.isAdded ? .reactionAdded(changed) : .reactionRemoved(changed)]
    }

    /// How many messages of a conversation may be pinned at once.
    package static let maxPins = 50

    static func pin(
        _ pin: PinMessage,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let member = try conversation.member(pin.actor, allowedTo: .pinMessage)
        let message = try conversation.current(pin.message, seenBy: member)
        let pins = conversation.pinnedMessages
        guard pins.contains(message.id) != pin.isPinned else { return [] }
        let changed = PinChanged(messageID: message.id, seq: message.seq, in: conversation.kind ?? .group)
        guard pin.isPinned else { return [.messageUnpinned(changed)] }
        try conversation.requireNoBlock(by: pin.actor)
        guard !message.isDeleted else { throw .messageIsDeleted }
        guard pins.count < maxPins else { throw .tooManyPins(limit: maxPins) }
        return [.messagePinned(changed)]
    }
}

extension Conversation {
    /// What a member may know of a message, as it is now.
    ///
    /// - Throws: `messageNotFound` where it is from before the member's joining and not for the member to see,
    ///   `staleFacts` where it must be read again.
    fileprivate func current(
        _ facts: MessageFacts,
        seenBy member: Member,
        for person: UUID? = nil,
        _ emoji: Emoji? = nil
    ) throws(ConversationRejection) -> MessageFacts {
        if historyVisibility == .joined, facts.seq <= member.fromSeq { throw .messageNotFound }
        guard let current = messageChanges.bringUpToDate(facts, for: person ?? facts.sender, emoji) else {
            throw .staleFacts
        }
        return current
    }
}
