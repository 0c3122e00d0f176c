public import Foundation

extension StreamEvent {
    /// The caller has blocked somebody, on another device maybe, or takes it back.
    public struct BlockUpdated: Codable, Hashable, Sendable {
        public var userId: WireID
        /// Null where the person is not blocked any more.
        @Nullable public var blockedAt: Date?

        public init(userId: WireID, blockedAt: Date?) {
            self.userId = userId
            self.blockedAt = blockedAt
        }
    }
}
