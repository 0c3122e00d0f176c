public import Foundation

/// `PUT …/messages/{messageId}` and `POST …/messages`.
public struct SendMessageRequest: Codable, Hashable, Sendable {
    public var text: String
    public var clientTimestamp: Date?
    public var replyToId: WireID?
    public var mentions: [Mention]?
    public var attachmentIds: [WireID]?

    public init(
        text: String,
        clientTimestamp: Date? = nil,
        replyToId: WireID? = nil,
        mentions: [Mention]? = nil,
        attachmentIds: [WireID]? = nil
    ) {
        self.text = text
        self.clientTimestamp = clientTimestamp
        self.replyToId = replyToId
        self.mentions = mentions
        self.attachmentIds = attachmentIds
    }
}
