import EventSourcing
import EventStore
import Foundation
import Live
import Messaging

/// Gives commands about one message, which need to know what the log says of it.
struct MessageCommands: Sendable {
    /// So often a message is looked up, while others keep changing the conversation's messages faster than that.
    private static let attempts = 8

    let commands: ConversationCommands

    /// - Parameters:
    ///   - emoji: the reaction that the command is about.
    ///   - needsText: whether the command asks what the message says.
    ///   - command: makes it of what is known of the message; asked again where that is out of date.
    /// - Returns: with the message's `seq`.
    /// - Throws: `ConversationRejection.messageNotFound` where there is no such message, and what the command throws.
    func handle(
        _ message: UUID,
        in conversation: UUID,
        by actor: UUID,
        _ emoji: Emoji? = nil,
        needsText: Bool = false,
        command: (MessageFacts) -> ConversationCommand
    ) async throws -> Handled<Int64> {
        for _ in 0..<Self.attempts {
            guard let facts = try await facts(of: message, in: conversation, for: actor, emoji, needsText) else {
                // Only a member is told which messages there are not.
                try await commands.require(.changeOwnMessage, by: actor, in: conversation)
                throw ConversationRejection.messageNotFound
            }
            do {
                return try await commands.handle(command(facts), on: conversation, by: actor) { _ in facts.seq }
            } catch ConversationRejection.staleFacts {
                continue
            }
        }
        throw CommandError.overloaded
    }

    private func facts(
        of message: UUID,
        in conversation: UUID,
        for person: UUID,
        _ emoji: Emoji?,
        _ needsText: Bool
    ) async throws -> MessageFacts? {
        var groups = [ConversationEvent.typesOfMessageChanges, ConversationEvent.typesOfReactions]
        if needsText { groups.append(ConversationEvent.typesOfEdits) }
        let view = try await commands.eventStore.log.view(
            of: message,
            in: StreamID(.conversation, conversation),
            newestOf: groups,
            own: emoji.map {
                .init(types: ConversationEvent.typesOfReactions, actor: person, field: "emoji", value: $0.text)
            }
        )
        return view.flatMap { MessageFacts($0, needsText) }
    }
}

extension MessageFacts {
    /// Nil where the subject is no message.
    fileprivate init?(_ view: SubjectView, _ needsText: Bool) {
        guard case .messageSent(let sent) = view.origin.conversationEvent else { return nil }
        self.init(
            id: sent.messageID,
            seq: sent.seq,
            sender: sent.sender,
            sentAt: view.origin.recordedAt,
            expiresAt: sent.expiry(sentAt: view.origin.recordedAt),
            text: needsText ? sent.text : nil,
            version: view.version
        )
        for event in view.newest.compactMap({ $0?.conversationEvent }) {
            switch event {
            case .messageDeleted: isDeleted = true
            case .messageEdited(let edited): if needsText { text = edited.text }
            case .reactionAdded(let reaction), .reactionRemoved(let reaction): reactions = reaction.counts
            case .started, .participantAdded, .participantRemoved, .roleChanged, .groupChanged, .messageSent,
                .memberErased, .receiptsAdvanced, .viewChanged, .markedUnread, .messageHidden,
                .permissionsChanged,
                .inviteCreated, .inviteUsed, .invitesEnded, .messagePinned, .messageUnpinned, .blockChanged,
                .retentionChanged, .slowModeChanged:
                break
            }
        }
        if case .reactionAdded = view.own?.conversationEvent { hasReacted = true }
    }
}
