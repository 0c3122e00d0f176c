public import Foundation

/// When one recipient received and read one message.
public struct MessageReceipt: Codable, Hashable, Sendable {
    public var userId: WireID
    @Nullable public var deliveredAt: Date?
    @Nullable public var readAt: Date?

    public init(userId: WireID, deliveredAt: Date? = nil, readAt: Date? = nil) {
        self.userId = userId
        self.deliveredAt = deliveredAt
        self.readAt = readAt
    }
}
