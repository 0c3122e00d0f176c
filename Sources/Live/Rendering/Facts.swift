import Foundation
import ParleyWire
import ReadModels

/// What must be known to tell announcements: of one that happens now, or of a page of those that a client missed, which
/// are of one partition.
struct Facts: Sendable {
    /// A message, and what not everybody may see of it.
    struct SentMessage: Sendable {
        let message: Message
        /// Whether it is as the only one who is told sees it, and not as its sender does.
        var isSeenByViewer = false
        /// The members who may not see what it answers.
        var quoteHiddenFrom: Set<UUID> = []
        /// The members who may not see it at all.
        var hiddenFrom: Set<UUID> = []
        /// The members who have deleted it for themselves.
        var hiders: [UUID: HiddenMessage] = [:]
        /// The reactions of those whom the message names, and of those who are told.
        var reactions: [UUID: Set<String>] = [:]
        /// Whether others have given some, too.
        var hasUnnamedReactions = false
    }

    /// Conversations as people see them, by conversation and person.
    var conversations: [UUID: [UUID: Conversation]] = [:]
    /// By conversation and person.
    var participants: [UUID: [UUID: Participant]] = [:]
    var users: [UUID: User] = [:]
    /// The conversations that name a person, also those that the person has left.
    var conversationsNaming: [UUID: Set<UUID>] = [:]
    /// By the position of their event.
    var messages: [Int64: SentMessage] = [:]
    /// By the position of the event that they tell of.
    var systemMessages: [Int64: Message] = [:]
    /// Who wrote what each mark newly covers, by the position of the marks' event and in their order; nil where it must be
    /// read.
    var authors: [Int64: [CoveredAuthors?]] = [:]
    /// Those of the authors who are not shown what others have read.
    var withoutReading: Set<UUID> = []
    /// How those are called whose texts the messages show.
    var names: [WireID: UserSummary] = [:]

    /// Whose texts are among them.
    var quoted: Set<UUID> {
        let lastMessages = conversations.values.flatMap(\.values).compactMap(\.lastMessage)
        let authors = messages.values.flatMap(\.message.authors) + systemMessages.values.map(\.senderId)
        return Set(authors.map(\.uuid) + lastMessages.map(\.senderId.uuid))
    }

    func isErased(_ person: WireID) -> Bool { names[person]?.erased == true }
}
