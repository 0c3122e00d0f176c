package import Foundation
package import ParleyWire
import Synchronization

extension Hub {
    /// Tells the devices of a person that are connected here what is no event of the log, at once.
    package func tell(_ person: UUID, _ event: StreamEvent) {
        // What cannot be encoded is left to be asked for.
        guard let block = try? EventBlock(event) else { return }
        send(to: person, block, in: epoch)
    }

    /// Tells the other members that are connected here that somebody is typing, or has stopped.
    package func tellTyping(_ isTyping: Bool, by person: UUID, in conversation: UUID) {
        let event = StreamEvent.typingUpdated(
            StreamEvent.TypingUpdated(
                conversationId: WireID(conversation),
                userId: WireID(person),
                typing: isTyping,
                expiresInMs: isTyping ? Int(TypingIndicators.lifetime / .milliseconds(1)) : 0
            )
        )
        // What cannot be encoded is not worth more than being left out.
        guard let block = try? EventBlock(event) else { return }
        state.withLock { state in
            for member in state.connected(.members(of: conversation)) where member != person {
                state.send(to: member, block)
            }
        }
    }

    /// Tells a person's devices that are connected here, soon, of a view that another process has changed.
    package func viewChanged(of person: UUID, in conversation: UUID) {
        guard state.withLock({ $0.isConnected(person) }) else { return }
        views.changed(of: person, in: conversation)
    }
}
