import Foundation

/// What an app gets of a notification that it draws itself.
struct PushContent: Encodable, Sendable {
    let kind: String
    var title: String?
    var body: String?
    let badge: Int
    let conversationId: String
    let messageId: String?
    let seq: Int64?
    let senderId: String?

    init(_ notification: PushNotification) {
        kind = notification.kind.rawValue
        if notification.kind == .alert { (title, body) = (notification.title, notification.body) }
        badge = notification.badge
        conversationId = notification.conversationID.lowercase
        messageId = notification.messageID?.lowercase
        seq = notification.seq
        senderId = notification.senderID?.lowercase
    }

    /// For services that carry nothing but texts.
    var texts: [String: String] {
        var texts = ["kind": kind, "badge": String(badge), "conversationId": conversationId]
        texts["title"] = title
        texts["body"] = body
        texts["messageId"] = messageId
        texts["seq"] = seq.map(String.init)
        texts["senderId"] = senderId
        return texts
    }
}

extension PushNotification {
    /// Writes it, with its texts made shorter until it has no more bytes than that, between two characters.
    func written(in limit: Int, _ write: (PushNotification) throws -> [UInt8]) throws -> [UInt8] {
        var notification = self
        var bytes = try write(notification)
        while bytes.count > limit {
            guard let shorter = notification.shorter else { break }
            notification = shorter
            bytes = try write(notification)
        }
        return bytes
    }

    private var shorter: PushNotification? {
        // A title of few characters says more than a text.
        if body.count > 1, body.count >= title.count { return with(title: title, body: Self.half(body)) }
        if title.count > 1 { return with(title: Self.half(title), body: body) }
        return title.isEmpty && body.isEmpty ? nil : with(title: "", body: "")
    }

    private static func half(_ text: String) -> String {
        text.prefix(text.count / 2) + (text.count > 2 ? "…" : "")
    }

    private func with(title: String, body: String) -> PushNotification {
        PushNotification(
            id: id,
            kind: kind,
            title: title,
            body: body,
            badge: badge,
            conversationID: conversationID,
            messageID: messageID,
            seq: seq,
            senderID: senderID,
            expires: expires
        )
    }
}

extension UUID {
    var lowercase: String { uuidString.lowercased() }
}

extension JSONEncoder {
    /// Short, and the same each time.
    static var compact: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
