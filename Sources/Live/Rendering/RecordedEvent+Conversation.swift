package import EventSourcing
package import Messaging

extension RecordedEvent {
    /// The event, where it is one of a conversation that this program can read.
    package var conversationEvent: ConversationEvent? {
        if case .event(let event as ConversationEvent) = body { return event }
        return nil
    }
}
