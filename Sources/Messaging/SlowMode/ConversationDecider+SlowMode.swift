import EventSourcing
import Foundation

extension ConversationDecider {
    /// The longest time between two messages of a member, in seconds.
    package static let longestSlowMode = 3_600

    static func slowModeEvents(_ change: ChangeGroup, given conversation: Conversation) -> [ConversationEvent] {
        guard change.slowMode != .unchanged, change.slowMode.newValue != conversation.slowMode?.seconds else {
            return []
        }
        return [.slowModeChanged(SlowModeChanged(seconds: change.slowMode.newValue))]
    }

    /// Since when a member has to wait who sends now; nil where nobody has to.
    ///
    /// - Throws: `tooSoon` for who has not waited long enough.
    static func paced(
        _ send: SendMessage,
        by sender: Conversation.Member,
        given conversation: Conversation
    ) throws(ConversationRejection) -> Date? {
        guard let slowMode = conversation.slowMode, sender.role == .member else { return nil }
        if let seconds = slowMode.wait(of: send.sender, at: send.now) { throw .tooSoon(seconds: seconds) }
        return send.now
    }
}

extension Conversation {
    mutating func apply(_ changed: SlowModeChanged) {
        slowMode = changed.seconds.map { slowMode?.with(seconds: $0) ?? SlowMode(seconds: $0) }
    }

    mutating func notePace(of sent: MessageSent) {
        guard let time = sent.pacedAt else { return }
        slowMode?.note(sent.sender, at: time, members: members.count)
    }
}
