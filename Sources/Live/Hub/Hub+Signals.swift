import EventStore
package import Foundation
package import Messaging
import ParleyWire
import Synchronization

extension Hub {
    /// Publishes to the other members that are connected here that somebody is typing, or has stopped, unless that was
    /// published lately.
    ///
    /// - Parameter members: those of the conversation as the log has them, where that was looked at just now: who was removed at
    ///   another process may still be connected here as one.
    /// - Returns: whether that is news, which other processes are to get, too. What those have published counts here: a
    ///   person's requests may each come to another process.
    @discardableResult
    package func publishTyping(
        _ isTyping: Bool,
        by person: UUID,
        in conversation: UUID,
        among members: Members? = nil
    ) -> Bool {
        guard typing.note(isTyping, by: person, in: conversation, at: clock.now().instant) else { return false }
        let event = StreamEvent.typingUpdated(
            StreamEvent.TypingUpdated(
                conversationId: WireID(conversation),
                userId: WireID(person),
                typing: isTyping,
                expiresInMs: isTyping ? Int(TypingIndicators.lifetime / .milliseconds(1)) : 0
            )
        )
        let block = EventBlock(event)
        state.withLock { state in
            for member in state.connected(.members(of: conversation))
            where member != person && (members.map { $0[member] != nil } ?? true) {
                state.send(to: member, block)
            }
        }
        return true
    }

    /// Publishes, soon, to a person's devices that are connected here a view that has changed beside the log, such as by a
    /// draft.
    package func viewChanged(of person: UUID, in conversation: UUID) {
        guard state.withLock({ $0.isConnected(person) }) else { return }
        views.changed(of: person, in: conversation)
    }

    /// What was published of views up to a moment.
    struct ViewsKnown: Sendable {
        let position: Int64
        let viewsPublished: Int
        let epoch: Epoch
    }

    /// What was published of a conversation's views until now, and the conversation's partition.
    func viewsKnown(in conversation: UUID) -> (ViewsKnown, partition: Int) {
        let partition = eventStore.identity.partition(of: conversation)
        let known = state.withLock { state in
            ViewsKnown(
                position: state.vector[partition],
                viewsPublished: state.publishedViews.count,
                epoch: state.epoch
            )
        }
        return (known, partition)
    }

    /// Publishes a person's view.
    ///
    /// - Parameter known: what was published before it was read.
    /// - Returns: false where more was published of it since, and it must be read again.
    func publishView(of person: UUID, in conversation: UUID, _ block: EventBlock, read known: ViewsKnown) -> Bool {
        let partition = eventStore.identity.partition(of: conversation)
        return state.withLock { state in
            guard state.epoch == known.epoch else { return true }
            guard !state.hasPublishedView(of: person, in: conversation, partition, since: known) else { return false }
            state.send(to: person, block)
            state.publishedViews.add(person, in: conversation)
            return true
        }
    }
}
