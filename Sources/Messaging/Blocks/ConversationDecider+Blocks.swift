import EventSourcing
package import Foundation

extension ConversationDecider {
    static func block(
        _ block: Block,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        guard block.person != block.blocked else { throw .withOneself }
        guard conversation.blockers.contains(block.person) != block.isBlocked else { return [] }
        let changed = BlockChanged(person: block.person, blocked: block.blocked, isBlocked: block.isBlocked)
        return [.blockChanged(changed)]
    }
}

extension Conversation {
    /// Refuses to bring anything new from one of two people to the other while either has blocked the other.
    package func requireNoBlock(by person: UUID) throws(ConversationRejection) {
        guard !isGroup, !blockers.isEmpty else { return }
        throw blockers.contains(person) ? .otherIsBlocked : .otherIsOutOfReach
    }

    mutating func apply(_ changed: BlockChanged) {
        if changed.isBlocked { blockers.insert(changed.person) } else { blockers.remove(changed.person) }
    }
}

extension ConversationEvent {
    /// The types of what says that one person blocks another, who is the event's subject.
    package static let typesOfBlocks = [EventKind.blockChanged.type]
}
