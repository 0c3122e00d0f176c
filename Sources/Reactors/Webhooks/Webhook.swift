package import Foundation
package import ParleyWire

/// A server that is notified of what happens in conversations.
package struct Webhook: Sendable, Hashable {
    package let id: UUID
    package var target: WebhookTarget
    /// What it subscribes to; empty for all that there is.
    package var events: Set<StreamEventName>
    /// The conversations that it subscribes to; nil for all.
    package var conversations: Set<UUID>?
    package let createdAt: Date
    package let createdBy: String
    /// nil while it is sent to.
    package var disabledAt: Date?
    package var disabledReason: DisabledReason?

    package enum DisabledReason: String, Sendable {
        /// An operator has said so.
        case `operator`
        /// A message was refused for days.
        case failing
        /// Its server says that it is gone for good.
        case gone
    }

    package init(
        id: UUID,
        target: WebhookTarget,
        events: Set<StreamEventName>,
        conversations: Set<UUID>?,
        createdAt: Date,
        createdBy: String
    ) {
        self.id = id
        self.target = target
        self.events = events
        self.conversations = conversations
        self.createdAt = createdAt
        self.createdBy = createdBy
    }

    func subscribes(to event: StreamEventName) -> Bool { events.isEmpty || events.contains(event) }
}
