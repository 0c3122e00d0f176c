import Foundation

/// What Firebase Cloud Messaging is sent: data alone, so that the app draws the notification itself, in the background, too.
struct FCMMessage: Encodable {
    /// Of the 4,096 that the service takes, the rest is for what it counts beside.
    static let dataLimit = 3_800
    /// Four weeks are the most, and what it takes where nothing is said.
    private static let longest: TimeInterval = 28 * 86_400

    private struct Message: Encodable {
        var token: String?
        var fid: String?
        let data: [String: String]
        let android: Android
    }

    private struct Android: Encodable {
        let priority: String
        let ttl: String
    }

    private let message: Message

    private init(_ notification: PushNotification, to target: FCMTarget, at now: Date) {
        let time = min(max(0, notification.expires.timeIntervalSince(now)), Self.longest)
        var message = Message(
            data: PushContent(notification).texts,
            android: Android(
                // High for what is shown alone, or Android trusts the app less.
                priority: notification.kind == .alert ? "HIGH" : "NORMAL",
                ttl: "\(Int64(time))s"
            )
        )
        switch target {
        case .token(let token): message.token = token
        case .fid(let fid): message.fid = fid
        }
        self.message = message
    }

    static func bytes(_ notification: PushNotification, to target: FCMTarget, at now: Date) throws -> [UInt8] {
        let encoder = JSONEncoder.compact
        var fitted = notification
        _ = try notification.written(in: dataLimit) { notification in
            fitted = notification
            return Array(try encoder.encode(PushContent(notification).texts))
        }
        return Array(try encoder.encode(FCMMessage(fitted, to: target, at: now)))
    }
}
