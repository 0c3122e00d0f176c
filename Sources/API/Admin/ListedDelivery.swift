import Foundation
import ParleyWire
import Reactors

/// A try to tell a webhook something, as operators see it.
struct ListedDelivery: Codable, Hashable, Sendable {
    let number: Int64
    let at: Date
    /// The `webhook-id`.
    let messageId: String
    let event: String
    let conversationId: WireID
    let partition: Int
    let position: Int64
    let attempt: Int
    let milliseconds: Int
    /// null where there was no answer.
    @Nullable var status: Int?
    /// Why there was no answer.
    @Nullable var reason: String?

    init(_ entry: WebhookDeliveries.Entry) {
        number = entry.number
        at = entry.at
        messageId = entry.message
        event = entry.event
        conversationId = WireID(entry.conversation)
        partition = entry.partition
        position = entry.position
        attempt = entry.attempt
        milliseconds = entry.milliseconds
        status = entry.status
        reason = entry.reason
    }
}
