package import Foundation

/// What the rules of a conversation need to know, folded from its events: small whatever the length of its history.
package struct Conversation: Sendable, Equatable, Codable {
    package var kind: ConversationKind?
    package var joinPolicy: JoinPolicy = .invite
    package var historyVisibility: HistoryVisibility = .all
    /// The `seq` of the newest message; 0 before the first.
    package var headSeq: Int64 = 0
    package var members = Members()
    /// People who were members once and are not now.
    package var formerMembers: Set<UUID> = []
    /// Those of them who went by themselves.
    package var leavers: Set<UUID> = []
    /// Members and former members who are erased: they never come back, and nothing of theirs is added any more.
    package var erasedPeople: Set<UUID> = []
    /// The version of the stream of rules and messages: the number of its events.
    package var version: Int64 = 0
    package var messageChanges = MessageChanges()
    package var deletedMessages = DeletedMessages()
    /// Counts joins, to tell who has been a member longest.
    package var joins: Int64 = 0
    /// Those that are open, by the hash of their code.
    package var invites: [UUID: Invite] = [:]
    /// A pin ends with its message, when that is deleted for everyone.
    package var pinnedMessages: Set<UUID> = []
    /// Of two people, who has blocked the other.
    package var blockers: Set<UUID> = []
    /// For how long what is said stays, in seconds; nil for ever.
    package var retention: Int?
    /// Nil where members may send as often as they like.
    package var slowMode: SlowMode?
    /// Nil where nothing was chosen.
    var chosenPermissions: GroupPermissions?

    package var permissions: GroupPermissions { chosenPermissions ?? .standard }

    package struct Member: Sendable, Equatable, Codable {
        package var role: Role
        /// The place of this membership among all joins of the conversation.
        package var join: Int64
        /// The newest `seq` at joining: where history begins for the member where it is visible to the joined only.
        package var fromSeq: Int64
        package var deliveredSeq: Int64
        package var readSeq: Int64
        /// How far others are shown that the member has read.
        package var publicReadSeq: Int64
        /// Nil where there are none.
        package var ownMessages: OwnMessages?
        /// Nil where all is as it was at joining.
        package var view: MemberView?
    }

    package init() {}

    package var exists: Bool { kind != nil }
    package var isGroup: Bool { kind == .group }

    /// The messages past a member's mark that are others' and not deleted; nil where the log must be asked.
    package func unreadCount(of member: Member) -> Int64? {
        let own = member.ownMessages
        guard let ownCount = own.map(\.count) ?? 0,
            let deleted = deletedMessages.count(after: member.readSeq, without: own)
        else { return nil }
        return max(0, headSeq - member.readSeq - ownCount - deleted)
    }
}
