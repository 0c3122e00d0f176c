import EventSourcing
package import Foundation

/// Where webhooks lead and what signs them, under the operators' key: bound to the webhook.
extension Keyring {
    package func seal(webhook content: [UInt8], of id: UUID) async throws -> SealedDraft {
        let key = try await operatorsKey()
        return SealedDraft(key: key.id, bytes: try key.seal(content, at: Self.place(ofWebhook: id)))
    }

    /// The contents in their order; nil where the key is gone, or does not open it.
    package func open(webhooks: [(id: UUID, sealed: SealedDraft)]) async throws -> [[UInt8]?] {
        let keys = try await keys(withIDs: Set(webhooks.map(\.sealed.key)))
        return webhooks.map { webhook in
            try? keys[webhook.sealed.key]?.open(webhook.sealed.bytes, at: Self.place(ofWebhook: webhook.id))
        }
    }

    private static func place(ofWebhook id: UUID) -> SealedPlace {
        SealedPlace(stream: StreamID(StreamCategory(rawValue: "webhook"), id), commandID: id, ordinal: 0)
    }
}
