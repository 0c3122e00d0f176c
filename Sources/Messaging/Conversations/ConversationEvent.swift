package import Foundation

/// What happened in a conversation: its rules and messages, and, in streams of their own, its receipts and views.
///
/// Indirect, because it is handed on and matched many times: a copy is one reference, not all that it holds.
package indirect enum ConversationEvent: Sendable, Equatable {
    case started(ConversationStarted)
    case participantAdded(ParticipantAdded)
    case participantRemoved(ParticipantRemoved)
    case roleChanged(RoleChanged)
    case groupChanged(GroupChanged)
    case messageSent(MessageSent)
    case memberErased(MemberErased)
    case receiptsAdvanced(ReceiptsAdvanced)
    case viewChanged(ViewChanged)
    case markedUnread(MarkedUnread)
    case messageHidden(MessageHidden)
    case permissionsChanged(PermissionsChanged)
    case inviteCreated(InviteCreated)
    case inviteUsed(InviteUsed)
    case invitesEnded(InvitesEnded)
    case messageEdited(MessageEdited)
    case messageDeleted(MessageDeleted)
    case reactionAdded(ReactionChanged)
    case reactionRemoved(ReactionChanged)
    case messagePinned(PinChanged)
    case messageUnpinned(PinChanged)
    case blockChanged(BlockChanged)
    case retentionChanged(RetentionChanged)
    case slowModeChanged(SlowModeChanged)
}

package struct ConversationStarted: Sendable, Equatable {
    package let kind: ConversationKind
    package let members: [Member]
    package let joinPolicy: JoinPolicy
    package let historyVisibility: HistoryVisibility
    /// nil in a direct conversation, and once the starter is erased.
    package let name: String?
    package let icon: String?

    package struct Member: Sendable, Equatable, Codable {
        package let id: UUID
        package let role: Role

        package init(id: UUID, role: Role) {
            self.id = id
            self.role = role
        }
    }

    package init(
        kind: ConversationKind,
        members: [Member],
        joinPolicy: JoinPolicy = .invite,
        historyVisibility: HistoryVisibility = .all,
        name: String? = nil,
        icon: String? = nil
    ) {
        self.kind = kind
        self.members = members
        self.joinPolicy = joinPolicy
        self.historyVisibility = historyVisibility
        self.name = name
        self.icon = icon
    }
}

package struct ParticipantAdded: Sendable, Equatable, Codable {
    package let person: UUID
    package let role: Role
    /// The newest `seq` at that moment: where the newcomer's marks start.
    package let headSeq: Int64

    package init(person: UUID, role: Role, headSeq: Int64) {
        self.person = person
        self.role = role
        self.headSeq = headSeq
    }
}

package struct ParticipantRemoved: Sendable, Equatable, Codable {
    package let person: UUID
    /// The newest `seq` at that moment: the last that the person may read.
    package let headSeq: Int64
    /// Whether it was the person's own choice; nil where it was not, and in events from before this was told.
    package let hasLeft: Bool?

    package init(person: UUID, headSeq: Int64, hasLeft: Bool? = nil) {
        self.person = person
        self.headSeq = headSeq
        self.hasLeft = hasLeft
    }
}

package struct RoleChanged: Sendable, Equatable, Codable {
    package let person: UUID
    package let role: Role

    package init(person: UUID, role: Role) {
        self.person = person
        self.role = role
    }
}

package struct GroupChanged: Sendable, Equatable {
    /// Cleared once the actor is erased: a group is never without a name otherwise.
    package let name: Change<String>
    /// Cleared, too, once the actor who set one is erased.
    package let icon: Change<String>
    package let joinPolicy: JoinPolicy?
    package let historyVisibility: HistoryVisibility?

    package init(
        name: Change<String> = .unchanged,
        icon: Change<String> = .unchanged,
        joinPolicy: JoinPolicy? = nil,
        historyVisibility: HistoryVisibility? = nil
    ) {
        self.name = name
        self.icon = icon
        self.joinPolicy = joinPolicy
        self.historyVisibility = historyVisibility
    }
}

package struct MessageSent: Sendable, Equatable {
    /// Also the id of the command that sent it.
    package let messageID: UUID
    package let sender: UUID
    package let seq: Int64
    /// nil once the sender is erased.
    package let text: String?
    package let replyTo: MessageReference?
    package let mentions: [UUID]
    /// Whether it mentions everyone in the conversation.
    package let mentionsAll: Bool
    package let clientTimestamp: Date?
    /// The members at that moment, without the sender.
    package let recipientCount: Int
    /// How often it was passed on on its way here; 0 where it was written here.
    package let hops: Int
    /// For how long it stays, in seconds, as the conversation wanted it then; nil for ever.
    package let retention: Int?
    /// When it was sent, where its sender has to wait with the next one.
    package let pacedAt: Date?
    /// None once the sender is erased, or the message deleted.
    package let attachments: [AttachedFile]

    package init(
        messageID: UUID,
        sender: UUID,
        seq: Int64,
        text: String?,
        replyTo: MessageReference? = nil,
        mentions: [UUID] = [],
        mentionsAll: Bool = false,
        clientTimestamp: Date? = nil,
        recipientCount: Int,
        hops: Int = 0,
        retention: Int? = nil,
        pacedAt: Date? = nil,
        attachments: [AttachedFile] = []
    ) {
        self.attachments = attachments
        self.hops = hops
        self.pacedAt = pacedAt
        self.retention = retention
        self.messageID = messageID
        self.sender = sender
        self.seq = seq
        self.text = text
        self.replyTo = replyTo
        self.mentions = mentions
        self.mentionsAll = mentionsAll
        self.clientTimestamp = clientTimestamp
        self.recipientCount = recipientCount
    }
}

extension MessageSent {
    /// When its time is over.
    package func expiry(sentAt: Date) -> Date? {
        retention.map { sentAt.addingTimeInterval(TimeInterval($0)) }
    }
}

/// A person who is or was a member is erased: what the person said and named here is gone.
///
/// In a group the membership has ended before; a direct conversation keeps its two people, and nothing is said in it any
/// more.
package struct MemberErased: Sendable, Equatable, Codable {
    package let person: UUID
    /// The newest `seq` at that moment: none of the person's messages comes after it.
    package let headSeq: Int64

    package init(person: UUID, headSeq: Int64) {
        self.person = person
        self.headSeq = headSeq
    }
}

/// Where the marks of some members stand now; both marks of each, absolute.
package struct ReceiptsAdvanced: Sendable, Equatable, Codable {
    package let marks: [Mark]

    package struct Mark: Sendable, Equatable, Codable {
        package let person: UUID
        package let deliveredSeq: Int64
        package let readSeq: Int64
        /// How far others are shown that the person has read; nil where that is all. More than all where the person has
        /// marked messages unread since.
        package let publicReadSeq: Int64?

        package init(person: UUID, deliveredSeq: Int64, readSeq: Int64, publicReadSeq: Int64? = nil) {
            self.person = person
            self.deliveredSeq = deliveredSeq
            self.readSeq = readSeq
            self.publicReadSeq = publicReadSeq
        }

        /// What somebody is shown as read: all to the person, else what is public.
        package func readSeq(shownTo viewer: UUID) -> Int64 {
            viewer == person ? readSeq : readSeqForOthers
        }

        package var readSeqForOthers: Int64 { publicReadSeq ?? readSeq }
    }

    package init(marks: [Mark]) {
        self.marks = marks
    }
}
