import Foundation
import ParleyWire
import Reactors

/// A webhook, as operators see it.
struct ListedWebhook: Codable, Hashable, Sendable {
    let id: WireID
    let url: String
    let events: [String]
    /// null for all conversations.
    @Nullable var conversations: [WireID]?
    let enabled: Bool
    @Nullable var disabledAt: Date?
    /// `operator`, `failing` or `gone`.
    @Nullable var disabledReason: String?
    let createdAt: Date
    let createdBy: String
    /// In the answer that makes it, and never again.
    var secret: String?

    init(_ webhook: Webhook, secret: String? = nil) {
        id = WireID(webhook.id)
        url = webhook.target.url.absoluteString
        let names = webhook.events.isEmpty ? Set(WebhookEvents.all) : webhook.events
        events = WebhookEvents.all.filter { names.contains($0) }.map(\.rawValue)
        conversations = webhook.conversations.map { $0.sorted().map { WireID($0) } }
        enabled = webhook.disabledAt == nil
        disabledAt = webhook.disabledAt
        disabledReason = webhook.disabledReason?.rawValue
        createdAt = webhook.createdAt
        createdBy = webhook.createdBy
        self.secret = secret
    }
}
