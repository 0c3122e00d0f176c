import Foundation

/// What Apple's service is sent.
struct APNsPayload: Encodable {
    static let limit = 4_096

    private struct Alert: Encodable {
        let title: String
        let body: String
    }

    private struct APS: Encodable {
        var alert: Alert?
        var badge: Int?
        var sound: String?
        var threadID: String?
        var mutableContent: Int?
        var contentAvailable: Int?

        enum CodingKeys: String, CodingKey {
            case alert, badge, sound
            case threadID = "thread-id"
            case mutableContent = "mutable-content"
            case contentAvailable = "content-available"
        }
    }

    private let aps: APS
    private let kind: String
    private let conversationId: String
    private let messageId: String?
    private let seq: Int64?
    private let senderId: String?
    private let badge: Int

    private init(_ notification: PushNotification) {
        var aps = APS()
        switch notification.kind {
        case .alert:
            aps.alert = Alert(title: notification.title, body: notification.body)
            aps.badge = notification.badge
            aps.sound = "default"
            aps.threadID = notification.conversationID.lowercase
            aps.mutableContent = 1
        case .badge: aps.badge = notification.badge
        // Anything else in it, and it is none of the background.
        case .clear: aps.contentAvailable = 1
        }
        self.aps = aps
        kind = notification.kind.rawValue
        conversationId = notification.conversationID.lowercase
        messageId = notification.messageID?.lowercase
        seq = notification.seq
        senderId = notification.senderID?.lowercase
        badge = notification.badge
    }

    static func bytes(_ notification: PushNotification) throws -> [UInt8] {
        try notification.written(in: limit) { Array(try JSONEncoder.compact.encode(APNsPayload($0))) }
    }

    /// Beside the token.
    static func headers(_ notification: PushNotification, app: String) -> [(name: String, value: String)] {
        let isAlert = notification.kind == .alert
        var headers = [
            ("apns-id", notification.id.lowercase),
            ("apns-topic", app),
            ("apns-push-type", notification.kind == .clear ? "background" : "alert"),
            ("apns-priority", isAlert ? "10" : "5"),
            // Apple keeps one notification for a device that is away: what shows nothing must not take an alert's place.
            ("apns-expiration", isAlert ? String(notification.expires.epochSeconds) : "0"),
        ]
        if isAlert { headers.append(("apns-collapse-id", notification.conversationID.lowercase)) }
        return headers.map { (name: $0.0, value: $0.1) }
    }
}
