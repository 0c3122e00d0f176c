package import EventSourcing

/// The name of every kind of event in the log of messaging: the one place that has them.
///
/// A name, its version, its category and what was stored under them never change. A new type, or a new version of one,
/// takes a line here, with a log format above all others where it is the first of a release, golden bytes in
/// `Tests/MessagingTests/Golden`, and a row in `Tests/APITests/Rights/StreamRightsTable.swift`.
extension EventKind {
    static let messageSent = EventKind("messageSent", in: .conversation, format: 1)
    static let receiptsAdvanced = EventKind("receiptsAdvanced", in: .receipts, format: 1)
    static let conversationStarted = EventKind("conversationStarted", in: .conversation, format: 1)
    static let participantAdded = EventKind("participantAdded", in: .conversation, format: 1)
    static let participantRemoved = EventKind("participantRemoved", in: .conversation, format: 1)
    static let roleChanged = EventKind("roleChanged", in: .conversation, format: 1)
    static let groupChanged1 = EventKind(
        "groupChanged",
        in: .conversation,
        format: 1,
        upcast: GroupChangedUpcasters.toVersion2
    )
    static let groupChanged = EventKind("groupChanged", version: 2, in: .conversation, format: 1)
    static let memberErased = EventKind("memberErased", in: .conversation, format: 1)
    static let messageEdited = EventKind("messageEdited", in: .conversation, format: 2)
    static let messageDeleted = EventKind("messageDeleted", in: .conversation, format: 2)
    static let reactionAdded = EventKind("reactionAdded", in: .conversation, format: 2)
    static let reactionRemoved = EventKind("reactionRemoved", in: .conversation, format: 2)

    static let messagePinned = EventKind("messagePinned", in: .conversation, format: 2)
    static let messageUnpinned = EventKind("messageUnpinned", in: .conversation, format: 2)

    static let viewChanged = EventKind("viewChanged", in: .views, format: 2)
    static let markedUnread = EventKind("markedUnread", in: .views, format: 2)
    static let messageHidden = EventKind("messageHidden", in: .views, format: 2)

    static let permissionsChanged = EventKind("permissionsChanged", in: .conversation, format: 2)

    static let inviteCreated = EventKind("inviteCreated", in: .conversation, format: 2)
    static let inviteUsed = EventKind("inviteUsed", in: .conversation, format: 2)
    static let invitesEnded = EventKind("invitesEnded", in: .conversation, format: 2)

    /// A message that was forwarded: read as `messageSent`, whose stored form stays as it is.
    static let messageForwarded = EventKind("messageForwarded", in: .conversation, format: 2)

    /// A message to which a limit of its conversation applies, such as a time after which it goes, or which mentions
    /// everyone: read as `messageSent`, too.
    static let limitedMessageSent = EventKind("limitedMessageSent", in: .conversation, format: 2)
    /// A message with files, whatever else it is: read as `messageSent`, too. What is sealed of it is more than its text.
    static let attachmentsSent = EventKind("attachmentsSent", in: .conversation, format: 2)
    /// A message's time is over: read as `messageDeleted`, by nobody.
    static let messageExpired = EventKind("messageExpired", in: .conversation, format: 2)
    static let slowModeChanged = EventKind("slowModeChanged", in: .conversation, format: 2)
    static let retentionChanged = EventKind("retentionChanged", in: .conversation, format: 2)

    static let blockChanged = EventKind("blockChanged", in: .conversation, format: 2)

    static let userRegistered = EventKind("userRegistered", in: .user, format: 1)
    static let profileChanged = EventKind("profileChanged", in: .user, format: 1)
    /// A profile's change with a setting that came later: read as `profileChanged`, whose stored form stays as it is.
    static let settingsChanged = EventKind("settingsChanged", in: .user, format: 2)
    static let userErased = EventKind("userErased", in: .user, format: 1)
    static let userDeactivated = EventKind("userDeactivated", in: .user, format: 1)
    static let userReactivated = EventKind("userReactivated", in: .user, format: 1)
}

extension ConversationEvent {
    /// The most frequent come first, where the catalogue begins to look.
    package static let kinds: [EventKind] = [
        .messageSent, .receiptsAdvanced, .conversationStarted, .participantAdded, .participantRemoved, .roleChanged,
        .groupChanged1, .groupChanged, .memberErased, .reactionAdded, .reactionRemoved, .messageEdited, .messageDeleted,
        .messagePinned, .messageUnpinned, .viewChanged, .markedUnread, .messageHidden,
        .permissionsChanged, .inviteCreated, .inviteUsed, .invitesEnded,
        .blockChanged, .messageForwarded, .limitedMessageSent, .attachmentsSent, .messageExpired, .retentionChanged,
        .slowModeChanged,
    ]
}

extension UserEvent {
    package static let kinds: [EventKind] = [
        .userRegistered, .profileChanged, .settingsChanged, .userErased, .userDeactivated, .userReactivated,
    ]
}

extension EventCatalog {
    /// All kinds of events of messaging.
    package static let messaging = EventCatalog([ConversationEvent.self, UserEvent.self])
}
