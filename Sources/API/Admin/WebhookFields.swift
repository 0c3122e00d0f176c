import Edge
import Foundation
import ParleyWire
import Reactors

extension Fields {
    /// So many conversations a webhook may name.
    private static let maxConversations = 200

    /// Where a webhook may lead, as far as the text says: what the host is, is looked at when it is asked.
    mutating func webhookURL(required: Bool) -> URL? {
        guard let text = text("url", 1...2_048, required: required) else { return nil }
        let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        if isPlain, let url = URL(string: text), let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        {
            return url
        }
        fail("url", .invalid, "A URL as in https://example.org/hook is expected, without a name, password or fragment.")
        return nil
    }

    mutating func webhookEvents() -> Set<StreamEventName>? {
        let names = WebhookEvents.all
        return values("events", atMost: 50, "One of \(names.map(\.rawValue).joined(separator: ", ")) is expected.") {
            text in
            StreamEventName(rawValue: text).flatMap { names.contains($0) ? $0 : nil }
        }.map { Set($0) }
    }

    mutating func webhookConversations(_ name: String = "conversations") -> Set<UUID>? {
        guard let ids = ids(name, atMost: Self.maxConversations) else { return nil }
        if ids.isEmpty { fail(name, .required, "At least one is expected, or null for all.") }
        return Set(ids)
    }
}
