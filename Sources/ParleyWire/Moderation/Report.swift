public import Foundation

/// What the caller has told those who run the server.
public struct Report: Codable, Hashable, Sendable {
    public var id: WireID
    /// Who is reported: also the sender of a message that is.
    @Nullable public var userId: WireID?
    @Nullable public var conversationId: WireID?
    @Nullable public var messageId: WireID?
    public var reason: ReportReason
    public var createdAt: Date

    public init(
        id: WireID,
        userId: WireID?,
        conversationId: WireID?,
        messageId: WireID?,
        reason: ReportReason,
        createdAt: Date
    ) {
        self.id = id
        self.userId = userId
        self.conversationId = conversationId
        self.messageId = messageId
        self.reason = reason
        self.createdAt = createdAt
    }
}

/// Why something is reported.
public struct ReportReason: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let spam = ReportReason(rawValue: "spam")
    public static let harassment = ReportReason(rawValue: "harassment")
    public static let hate = ReportReason(rawValue: "hate")
    public static let violence = ReportReason(rawValue: "violence")
    public static let sexual = ReportReason(rawValue: "sexual")
    public static let selfHarm = ReportReason(rawValue: "selfHarm")
    public static let fraud = ReportReason(rawValue: "fraud")
    public static let illegal = ReportReason(rawValue: "illegal")
    public static let other = ReportReason(rawValue: "other")
}
