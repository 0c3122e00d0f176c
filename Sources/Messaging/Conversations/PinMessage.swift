package import Foundation

package struct PinMessage: Sendable, Equatable {
    package let message: MessageFacts
    package let actor: UUID
    /// False to take the pin away.
    package let isPinned: Bool

    package init(message: MessageFacts, actor: UUID, isPinned: Bool) {
        self.message = message
        self.actor = actor
        self.isPinned = isPinned
    }
}
