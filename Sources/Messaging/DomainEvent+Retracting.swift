import EventSourcing

extension ConversationEvent {
    package var retractsContent: Bool {
        switch self {
        case .memberErased, .messageEdited, .messageDeleted: true
        case .started, .participantAdded, .participantRemoved, .roleChanged, .groupChanged, .messageSent,
            .receiptsAdvanced, .reactionAdded, .reactionRemoved, .messagePinned, .messageUnpinned:
            false
        case .viewChanged, .markedUnread, .messageHidden, .permissionsChanged, .inviteCreated, .inviteUsed,
            .invitesEnded, .blockChanged, .retentionChanged, .slowModeChanged:
            false
        }
    }
}

extension UserEvent {
    package var retractsContent: Bool {
        switch self {
        case .erased: true
        case .registered, .profileChanged, .deactivated, .reactivated: false
        }
    }
}
