package import Foundation
import NIOHTTP1
package import Outbound

/// Web Push (RFC 8030): the push services of browsers, and UnifiedPush distributors.
package struct WebPushProvider: PushProvider {
    /// Sealed it is 3,070 bytes for Firefox on Android at the most.
    static let limit = 2_048
    private static let padding = 256
    private static let deadline = Duration.seconds(10)
    private static let mostAnswer = 65_536

    package let name = PushPlatform.webPush.rawValue
    package let watch = VAPIDWatch()
    private let tokens: VAPIDTokens
    private let client: OutboundClient

    /// - Parameters:
    ///   - subject: where a push service reaches who runs the server: `mailto:` or `https:`.
    ///   - client: of rules for what people name.
    package init(key: VAPIDKey, subject: String, client: OutboundClient) {
        tokens = VAPIDTokens(key, subject: subject)
        self.client = client
    }

    package func send(_ notification: PushNotification, to address: PushAddress) async -> PushOutcome {
        guard case .webPush(let endpoint, let p256dh, let auth) = address else {
            return .rejected(reason: "wrongAddress")
        }
        // Browsers take the right away from who wakes them for nothing.
        guard notification.kind == .alert else { return .rejected(reason: "silent") }
        let now = Date()
        guard PushAddress.isPublicKey(p256dh) else { return .addressRefused(reason: "noPublicKey") }
        guard let body = try? Self.body(notification, p256dh, auth),
            let authorization = try? tokens.header(for: endpoint, at: now)
        else { return .rejected(reason: "unwritable") }
        let headers = Self.headers(notification, at: now) + [(name: "authorization", value: authorization)]
        let request = OutboundRequest(method: .POST, url: endpoint, headers: headers, body: body)
        do throws(OutboundError) {
            let response = try await client.send(request, within: Self.deadline, maximumAnswer: Self.mostAnswer)
            return Self.outcome(response, at: Date())
        } catch {
            return PushOutcome(error)
        }
    }

    package func note(_ outcome: PushOutcome, for person: UUID, at service: String) {
        watch.note(outcome, for: person, at: service)
    }

    private static func body(_ notification: PushNotification, _ p256dh: [UInt8], _ auth: [UInt8]) throws -> [UInt8] {
        let text = try notification.written(in: limit) { Array(try JSONEncoder.compact.encode(PushContent($0))) }
        return try WebPushEncryption.seal(text, for: p256dh, auth: auth, padding: padding)
    }

    private static func headers(_ notification: PushNotification, at now: Date) -> [(name: String, value: String)] {
        // Windows' service takes no 0.
        let time = max(1, Int64(notification.expires.timeIntervalSince(now)))
        return [
            (name: "content-type", value: "application/octet-stream"),
            (name: "content-encoding", value: "aes128gcm"),
            (name: "ttl", value: String(time)),
            (name: "urgency", value: "high"),
            // 32 letters and digits are the most; one that waits is replaced by the next of its conversation.
            (name: "topic", value: notification.conversationID.lowercase.replacing("-", with: "")),
        ]
    }

    static func outcome(_ response: OutboundResponse, at now: Date) -> PushOutcome {
        let reason = "status\(response.status)"
        let pause = RetryAfter.read(response.headers, at: now)
        switch response.status {
        case 200...204: return .accepted
        case 404, 410: return .addressGone(reason: reason, since: nil)
        // A subscription under another key than ours, as a rule. Where it is our key, many people's are refused.
        case 401, 403: return .addressRefused(reason: reason)
        // Windows' service says 406, and ntfy 507, where others say 429: of one subscription, as a rule.
        case 406, 429, 507: return .backOffDevice(after: pause ?? .seconds(60), reason: reason)
        case 408, 425, 500...: return .retry(after: pause, reason: reason)
        // 3xx too: nothing is followed.
        default: return .rejected(reason: reason)
        }
    }
}
