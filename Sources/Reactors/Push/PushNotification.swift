package import Foundation

/// What a notification says, whatever carries it.
///
/// It carries the whole truth and no difference to the one before: services keep one for a device that is away, and may swap two.
package struct PushNotification: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// Shown to the person.
        case alert
        /// Shows nothing: what the conversation shows was read elsewhere and is taken away.
        case clear
        /// Shows nothing but the number on the app.
        case badge
    }

    /// The same for each try of one notification for one device, so that a service can drop a second one.
    package let id: UUID
    package let kind: Kind
    /// Cut to what the device may show, in its language.
    package let title: String
    package let body: String
    /// All that is unread, of conversations that are not muted.
    package let badge: Int
    package let conversationID: UUID
    package let messageID: UUID?
    package let seq: Int64?
    package let senderID: UUID?
    /// Nobody wants it after this.
    package let expires: Date

    package init(
        id: UUID,
        kind: Kind,
        title: String = "",
        body: String = "",
        badge: Int,
        conversationID: UUID,
        messageID: UUID? = nil,
        seq: Int64? = nil,
        senderID: UUID? = nil,
        expires: Date
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.body = body
        self.badge = badge
        self.conversationID = conversationID
        self.messageID = messageID
        self.seq = seq
        self.senderID = senderID
        self.expires = expires
    }
}

/// Texts of people reach no log.
extension PushNotification: CustomStringConvertible, CustomReflectable {
    package var description: String { "PushNotification(\(kind), redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
