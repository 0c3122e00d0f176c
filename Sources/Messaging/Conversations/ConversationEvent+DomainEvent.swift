package import EventSourcing
package import Foundation

extension ConversationEvent: DomainEvent {
    package var kind: EventKind {
        switch self {
        case .started: .conversationStarted
        case .participantAdded: .participantAdded
        case .participantRemoved: .participantRemoved
        case .roleChanged: .roleChanged
        case .groupChanged: .groupChanged
        case .messageSent(let event): event.kind
        case .memberErased: .memberErased
        case .receiptsAdvanced: .receiptsAdvanced
        case .viewChanged: .viewChanged
        case .markedUnread: .markedUnread
        case .messageHidden: .messageHidden
        case .permissionsChanged: .permissionsChanged
        case .inviteCreated: .inviteCreated
        case .inviteUsed: .inviteUsed
        case .invitesEnded: .invitesEnded
        case .messageEdited: .messageEdited
        case .messageDeleted(let event): event.isExpired ? .messageExpired : .messageDeleted
        case .reactionAdded: .reactionAdded
        case .reactionRemoved: .reactionRemoved
        case .messagePinned: .messagePinned
        case .messageUnpinned: .messageUnpinned
        case .blockChanged: .blockChanged
        case .retentionChanged: .retentionChanged
        case .slowModeChanged: .slowModeChanged
        }
    }

    /// Whether it stands in the stream that demands a version: asked of every event, where comparing categories costs.
    var isOrdered: Bool {
        switch self {
        case .started, .participantAdded, .participantRemoved, .roleChanged, .groupChanged, .messageSent, .memberErased,
            .messageEdited, .messageDeleted, .reactionAdded, .reactionRemoved, .permissionsChanged, .inviteCreated,
            .inviteUsed, .invitesEnded, .messagePinned, .messageUnpinned, .blockChanged, .retentionChanged,
            .slowModeChanged:
            true
        case .receiptsAdvanced, .viewChanged, .markedUnread, .messageHidden: false
        }
    }

    /// The person or the message concerned; that a message was sent is found by its command id, which is its own id.
    package var subject: UUID? {
        switch self {
        case .participantAdded(let event): event.person
        case .participantRemoved(let event): event.person
        case .roleChanged(let event): event.person
        case .memberErased(let event): event.person
        case .messageEdited(let event): event.messageID
        case .messageDeleted(let event): event.messageID
        case .reactionAdded(let event), .reactionRemoved(let event): event.messageID
        case .messagePinned(let event), .messageUnpinned(let event): event.messageID
        case .started, .groupChanged, .messageSent, .receiptsAdvanced: nil
        case .viewChanged(let event): event.person
        case .markedUnread(let event): event.person
        case .messageHidden(let event): event.person
        case .permissionsChanged, .retentionChanged, .slowModeChanged: nil
        case .inviteCreated, .inviteUsed, .invitesEnded: nil
        case .blockChanged(let event): event.blocked
        }
    }

    /// A message is found under its own id, however many a command has sent.
    package var ownCommandID: UUID? {
        if case .messageSent(let sent) = self { sent.messageID } else { nil }
    }

    package func encodePayload() throws -> [UInt8] {
        switch self {
        case .started(let event): try EventJSON.encode(StartedPayload(event))
        case .participantAdded(let event): try EventJSON.encode(event)
        case .participantRemoved(let event): try EventJSON.encode(event)
        case .roleChanged(let event): try EventJSON.encode(event)
        case .groupChanged(let event): try EventJSON.encode(GroupChangedPayload(event))
        case .messageSent(let event): try MessageSentPayload(event).encoded()
        case .memberErased(let event): try EventJSON.encode(event)
        case .receiptsAdvanced(let event): event.encoded()
        case .viewChanged(let event): try EventJSON.encode(event)
        case .markedUnread(let event): try EventJSON.encode(event)
        case .messageHidden(let event): try EventJSON.encode(event)
        case .permissionsChanged(let event): try EventJSON.encode(event)
        case .inviteCreated(let event): try EventJSON.encode(InviteCreatedPayload(event))
        case .inviteUsed(let event): try EventJSON.encode(event)
        case .invitesEnded(let event): try EventJSON.encode(event)
        case .messageEdited(let event): try EventJSON.encode(MessageEditedPayload(seq: event.seq))
        case .messageDeleted(let event):
            try EventJSON.encode(MessageDeletedPayload(seq: event.seq, sender: event.sender))
        case .reactionAdded(let event), .reactionRemoved(let event):
            try EventJSON.encode(ReactionPayload(counts: event.counts, emoji: event.emoji, seq: event.seq))
        case .messagePinned(let event), .messageUnpinned(let event):
            try EventJSON.encode(PinPayload(conversation: event.conversation, seq: event.seq))
        case .blockChanged(let event): try EventJSON.encode(event)
        case .retentionChanged(let event): try EventJSON.encode(event)
        case .slowModeChanged(let event): try EventJSON.encode(event)
        }
    }

    package func encodePersonal() throws -> [UInt8]? {
        switch self {
        case .started(let event):
            try GroupAppearance(name: event.name, icon: event.icon.map { .set($0) } ?? .unchanged).encoded()
        case .groupChanged(let event):
            try GroupAppearance(name: event.name.newValue, icon: event.icon).encoded()
        case .messageSent(let event): try event.encodePersonal()
        case .participantAdded, .participantRemoved, .roleChanged, .memberErased, .receiptsAdvanced, .messageDeleted,
            .reactionAdded, .reactionRemoved, .messagePinned, .messageUnpinned:
            nil
        case .messageEdited(let event): event.text.map { Array($0.utf8) }
        case .viewChanged, .markedUnread, .messageHidden, .permissionsChanged: nil
        case .inviteCreated(let event): event.code.map { Array($0.utf8) }
        case .inviteUsed, .invitesEnded, .blockChanged, .retentionChanged, .slowModeChanged: nil
        }
    }

    package init(_ kind: EventKind, _ content: StoredContent, _ context: DecodingContext) throws {
        let payload = content.payload
        switch kind {
        case .messageSent, .messageForwarded, .limitedMessageSent, .attachmentsSent:
            self = .messageSent(try Self.message(content, context))
        case .receiptsAdvanced:
            let advanced =
                try ReceiptsAdvanced(plain: payload) ?? EventJSON.decode(ReceiptsAdvanced.self, from: payload)
            self = .receiptsAdvanced(advanced)
        case .conversationStarted:
            let appearance = try content.personal.map { try EventJSON.decode(GroupAppearance.self, from: $0) }
            self = .started(try EventJSON.decode(StartedPayload.self, from: payload).event(appearance))
        case .participantAdded:
            self = .participantAdded(try EventJSON.decode(ParticipantAdded.self, from: payload))
        case .participantRemoved:
            self = .participantRemoved(try EventJSON.decode(ParticipantRemoved.self, from: payload))
        case .roleChanged:
            self = .roleChanged(try EventJSON.decode(RoleChanged.self, from: payload))
        case .groupChanged:
            let appearance = try content.personal.map { try EventJSON.decode(GroupAppearance.self, from: $0) }
            self = .groupChanged(try EventJSON.decode(GroupChangedPayload.self, from: payload).event(appearance))
        case .memberErased:
            self = .memberErased(try EventJSON.decode(MemberErased.self, from: payload))
        case .viewChanged:
            self = .viewChanged(try EventJSON.decode(ViewChanged.self, from: payload))
        case .markedUnread:
            self = .markedUnread(try EventJSON.decode(MarkedUnread.self, from: payload))
        case .messageHidden:
            self = .messageHidden(try EventJSON.decode(MessageHidden.self, from: payload))
        case .permissionsChanged:
            self = .permissionsChanged(try EventJSON.decode(PermissionsChanged.self, from: payload))
        case .inviteCreated:
            let created = try EventJSON.decode(InviteCreatedPayload.self, from: payload)
            let code = content.personal.map { String(decoding: $0, as: UTF8.self) }
            self = .inviteCreated(created.event(command: context.commandID, code: code))
        case .inviteUsed:
            self = .inviteUsed(try EventJSON.decode(InviteUsed.self, from: payload))
        case .invitesEnded:
            self = .invitesEnded(try EventJSON.decode(InvitesEnded.self, from: payload))
        case .blockChanged:
            self = .blockChanged(try EventJSON.decode(BlockChanged.self, from: payload))
        case .retentionChanged:
            self = .retentionChanged(try EventJSON.decode(RetentionChanged.self, from: payload))
        case .slowModeChanged:
            self = .slowModeChanged(try EventJSON.decode(SlowModeChanged.self, from: payload))
        case .messageExpired:
            self = .messageDeleted(try Self.expiry(content, context))
        case .messageEdited, .messageDeleted, .reactionAdded, .reactionRemoved, .messagePinned, .messageUnpinned:
            self = try Self.messageChange(kind, content, context)
        default:
            throw UndecodableEvent(kind)
        }
    }

    private static func message(_ content: StoredContent, _ context: DecodingContext) throws -> MessageSent {
        guard let sender = context.actor else { throw UndecodableEvent(.messageSent) }
        let sent =
            try MessageSentPayload(plain: content.payload)
            ?? EventJSON.decode(MessageSentPayload.self, from: content.payload)
        guard sent.attachments == nil else {
            let sealed = try content.personal.map { try EventJSON.decode(SealedMessage.self, from: $0) }
            return sent.event(
                id: context.commandID,
                sender: sender,
                text: sealed?.text,
                attachments: sealed?.files ?? []
            )
        }
        let text = content.personal.map { String(decoding: $0, as: UTF8.self) }
        return sent.event(id: context.commandID, sender: sender, text: text)
    }
}

extension MessageSent {
    /// Nearly all messages are of the first kind.
    fileprivate var kind: EventKind {
        if !attachments.isEmpty { return .attachmentsSent }
        if retention != nil || pacedAt != nil || mentionsAll { return .limitedMessageSent }
        return hops == 0 ? .messageSent : .messageForwarded
    }

    fileprivate func encodePersonal() throws -> [UInt8]? {
        guard !attachments.isEmpty else { return text.map { Array($0.utf8) } }
        return try EventJSON.encode(SealedMessage(files: attachments, text: text ?? ""))
    }
}
