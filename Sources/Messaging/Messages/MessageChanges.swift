import Foundation

/// What happened last to messages of a conversation, to bring what was read of one from the log up to date.
///
/// Bounded: facts that are older than the oldest change here must be read again.
package struct MessageChanges: Sendable, Equatable, Codable {
    /// As many as come in some tenths of a second at the most.
    private static let capacity = 256

    private var changes: [Change] = []
    /// The version of the newest change that is forgotten.
    private var forgotten: Int64 = 0

    private struct Change: Sendable, Equatable, Codable {
        let version: Int64
        let message: UUID
        /// Nil for a deletion.
        let reaction: Reaction?
    }

    private struct Reaction: Sendable, Equatable, Codable {
        let person: UUID
        let emoji: Emoji
        let isAdded: Bool
        let counts: [Emoji: Int]
    }

    package init() {}

    package var count: Int { changes.count }

    mutating func note(deletionOf message: UUID, at version: Int64) {
        append(Change(version: version, message: message, reaction: nil))
    }

    mutating func note(_ event: ReactionChanged, isAdded: Bool, at version: Int64) {
        let reaction = Reaction(person: event.person, emoji: event.emoji, isAdded: isAdded, counts: event.counts)
        append(Change(version: version, message: event.messageID, reaction: reaction))
    }

    private mutating func append(_ change: Change) {
        changes.append(change)
        guard changes.count > Self.capacity else { return }
        // Many at once, so that forgetting costs little per change.
        let dropped = changes.prefix(Self.capacity / 2)
        forgotten = dropped.last?.version ?? forgotten
        changes.removeFirst(dropped.count)
    }

    /// The facts as they are now; nil where more has happened since than is known.
    func bringUpToDate(_ facts: MessageFacts, for person: UUID, _ emoji: Emoji?) -> MessageFacts? {
        guard facts.version >= forgotten else { return nil }
        var facts = facts
        for change in changes.reversed().prefix(while: { $0.version > facts.version }).reversed()
        where change.message == facts.id {
            guard let reaction = change.reaction else {
                facts.isDeleted = true
                continue
            }
            facts.reactions = reaction.counts
            if reaction.person == person, reaction.emoji == emoji { facts.hasReacted = reaction.isAdded }
        }
        return facts
    }
}
