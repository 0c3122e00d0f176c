package import Foundation

/// Where a webhook leads and what signs it: sealed at rest, and in no log, for URLs hold secrets, too.
package struct WebhookTarget: Sendable, Hashable, Codable {
    package var url: URL
    /// The newest one first, and while it is rotated the one before it.
    package private(set) var secrets: [WebhookSecret]

    package init(url: URL) {
        self.url = url
        secrets = [WebhookSecret()]
    }

    /// Adds a secret; the one before it goes on for some time, any other ends.
    package mutating func rotate(at now: Date, keepingOldFor time: TimeInterval) {
        let old = secrets.first.map { [$0.ending(at: now.addingTimeInterval(time))] } ?? []
        secrets = [WebhookSecret()] + old
    }

    /// The headers of a message.
    func headers(of body: [UInt8], id: String, at now: Date) -> [(name: String, value: String)] {
        let timestamp = Int64(now.timeIntervalSince1970)
        let signatures = secrets.filter { $0.until.map { now < $0 } ?? true }
            .map { $0.signature(of: body, id: id, timestamp: timestamp) }
        return [
            ("content-type", "application/json"), ("user-agent", "Parley-Webhooks"), ("webhook-id", id),
            ("webhook-timestamp", "\(timestamp)"), ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}

extension WebhookTarget: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
