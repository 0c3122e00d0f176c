package import Foundation

/// What can be asked of a conversation. Ids, limits and looked-up facts travel in the command.
///
/// Indirect, because it is handed on and matched many times: a copy is one reference, not all that it holds.
package indirect enum ConversationCommand: Sendable, Equatable {
    case startDirect(StartDirect)
    case startGroup(StartGroup)
    /// Adds a person, or changes the role of a member.
    case putParticipant(PutParticipant)
    case removeParticipant(RemoveParticipant)
    case join(Join)
    case leave(person: UUID)
    case changeGroup(ChangeGroup)
    case send(SendMessage)
    /// All of them or none.
    case sendMessages(SendMessages)
    /// Takes an erased person out of a group, and what the person said and named out of the conversation.
    case eraseMember(UUID)
    case advanceReceipts([ReceiptAdvance])
    case changeView(ChangeView)
    case markUnread(MarkUnread)
    case hideMessage(HideMessage)
    case createInvite(CreateInvite)
    case endInvite(EndInvite)
    case joinByInvite(JoinByInvite)
    case editMessage(EditMessage)
    /// Takes a message back for everyone.
    case deleteMessage(DeleteMessage)
    case react(React)
    case pin(PinMessage)
    /// Between two people, whose conversation need not have begun.
    case block(Block)
    case expireMessages(ExpireMessages)
}

package struct StartDirect: Sendable, Equatable {
    package let starter: UUID
    package let other: UUID

    package init(starter: UUID, other: UUID) {
        self.starter = starter
        self.other = other
    }
}

package struct StartGroup: Sendable, Equatable {
    package let owner: UUID
    /// The others; the owner and doubles are left out when deciding.
    package let participants: [UUID]
    package let name: String
    package let icon: String?
    package let joinPolicy: JoinPolicy
    package let historyVisibility: HistoryVisibility
    package let maxMembers: Int
    package let permissions: PermissionsChanged

    package init(
        owner: UUID,
        participants: [UUID],
        name: String,
        icon: String?,
        joinPolicy: JoinPolicy,
        historyVisibility: HistoryVisibility,
        maxMembers: Int,
        permissions: PermissionsChanged = .nothing
    ) {
        self.permissions = permissions
        self.owner = owner
        self.participants = participants
        self.name = name
        self.icon = icon
        self.joinPolicy = joinPolicy
        self.historyVisibility = historyVisibility
        self.maxMembers = maxMembers
    }
}

package struct PutParticipant: Sendable, Equatable {
    package let actor: UUID
    package let person: UUID
    /// nil keeps a member's role, and adds a newcomer as `member`.
    package let role: Role?
    package let maxMembers: Int

    package init(actor: UUID, person: UUID, role: Role?, maxMembers: Int) {
        self.actor = actor
        self.person = person
        self.role = role
        self.maxMembers = maxMembers
    }
}

package struct RemoveParticipant: Sendable, Equatable {
    package let actor: UUID
    package let person: UUID

    package init(actor: UUID, person: UUID) {
        self.actor = actor
        self.person = person
    }
}

package struct Join: Sendable, Equatable {
    package let person: UUID
    package let maxMembers: Int

    package init(person: UUID, maxMembers: Int) {
        self.person = person
        self.maxMembers = maxMembers
    }
}

package struct ChangeGroup: Sendable, Equatable {
    package let actor: UUID
    package let name: String?
    package let icon: Change<String>
    /// Whether the group was seen to have the name, or the icon, already: the state keeps neither (they are sealed).
    package let hasName: Bool
    package let hasIcon: Bool
    package let joinPolicy: JoinPolicy?
    package let historyVisibility: HistoryVisibility?
    package let permissions: PermissionsChanged
    /// The one thing of it that two people may change, too.
    package let retention: Change<Int>
    /// In seconds; cleared for no limit.
    package let slowMode: Change<Int>

    package init(
        actor: UUID,
        name: String?,
        icon: Change<String>,
        hasName: Bool = false,
        hasIcon: Bool = false,
        joinPolicy: JoinPolicy?,
        historyVisibility: HistoryVisibility?,
        permissions: PermissionsChanged = .nothing,
        retention: Change<Int> = .unchanged,
        slowMode: Change<Int> = .unchanged
    ) {
        self.hasName = hasName
        self.hasIcon = hasIcon
        self.slowMode = slowMode
        self.retention = retention
        self.permissions = permissions
        self.actor = actor
        self.name = name
        self.icon = icon
        self.joinPolicy = joinPolicy
        self.historyVisibility = historyVisibility
    }
}

/// A message that the log was seen to hold: a fact looked up before the command was given.
package struct MessageReference: Sendable, Equatable, Codable {
    package let id: UUID
    package let seq: Int64

    package init(id: UUID, seq: Int64) {
        self.id = id
        self.seq = seq
    }
}

/// How far a member says to have received and read; nil says nothing, beyond the head means the head.
package struct ReceiptAdvance: Sendable, Equatable {
    package let person: UUID
    package let deliveredSeq: Int64?
    package let readSeq: Int64?
    /// Others are not to be shown what is read.
    package let isPrivate: Bool

    package init(person: UUID, deliveredSeq: Int64?, readSeq: Int64?, isPrivate: Bool = false) {
        self.person = person
        self.deliveredSeq = deliveredSeq
        self.readSeq = readSeq
        self.isPrivate = isPrivate
    }
}

package struct EditMessage: Sendable, Equatable {
    package let message: MessageFacts
    package let editor: UUID
    package let text: String
    package let now: Date
    /// How long after sending a message may be edited, in seconds.
    package let window: TimeInterval

    package init(message: MessageFacts, editor: UUID, text: String, now: Date, window: TimeInterval) {
        self.message = message
        self.editor = editor
        self.text = text
        self.now = now
        self.window = window
    }
}

package struct DeleteMessage: Sendable, Equatable {
    package let message: MessageFacts
    package let actor: UUID

    package init(message: MessageFacts, actor: UUID) {
        self.message = message
        self.actor = actor
    }
}

package struct React: Sendable, Equatable {
    /// How many different reactions a message has at the most.
    package static let maxKinds = 20

    package let message: MessageFacts
    package let person: UUID
    package let emoji: Emoji
    /// False to take the reaction back.
    package let isAdded: Bool

    package init(message: MessageFacts, person: UUID, emoji: Emoji, isAdded: Bool) {
        self.message = message
        self.person = person
        self.emoji = emoji
        self.isAdded = isAdded
    }
}
