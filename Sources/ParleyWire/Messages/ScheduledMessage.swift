public import Foundation

/// A message that the caller wants to be sent later.
public struct ScheduledMessage: Codable, Hashable, Sendable {
    /// The id that the message will have.
    public var id: WireID
    public var conversationId: WireID
    public var sendAt: Date
    public var status: ScheduledStatus
    public var text: String
    @Nullable public var replyToId: WireID?
    /// Left out where it has none.
    public var attachmentIds: [WireID]?
    public var mentions: [Mention]
    @Nullable public var clientTimestamp: Date?
    /// Why it was not sent; nil but for a failed one.
    @Nullable public var failure: Failure?
    public var createdAt: Date

    public struct Failure: Codable, Hashable, Sendable {
        /// The code of the problem that a send would have been answered with.
        public var code: String
        public var failedAt: Date

        public init(code: String, failedAt: Date) {
            self.code = code
            self.failedAt = failedAt
        }
    }

    public init(
        id: WireID,
        conversationId: WireID,
        sendAt: Date,
        status: ScheduledStatus,
        text: String,
        replyToId: WireID? = nil,
        attachmentIds: [WireID]? = nil,
        mentions: [Mention] = [],
        clientTimestamp: Date? = nil,
        failure: Failure? = nil,
        createdAt: Date
    ) {
        self.id = id
        self.conversationId = conversationId
        self.sendAt = sendAt
        self.status = status
        self.text = text
        self.replyToId = replyToId
        self.attachmentIds = attachmentIds
        self.mentions = mentions
        self.clientTimestamp = clientTimestamp
        self.failure = failure
        self.createdAt = createdAt
    }
}

/// What has become of a scheduled message.
public struct ScheduledStatus: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let scheduled = ScheduledStatus(rawValue: "scheduled")
    /// It was refused when its time came, and stays until it is changed or deleted.
    public static let failed = ScheduledStatus(rawValue: "failed")
    /// It is a message now: told only to whoever repeats the request that scheduled it.
    public static let sent = ScheduledStatus(rawValue: "sent")
}
