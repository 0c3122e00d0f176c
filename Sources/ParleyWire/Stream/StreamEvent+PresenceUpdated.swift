extension StreamEvent {
    /// Somebody whom the stream is told of has come, gone, or is away. Never stored: after `ready`, who is not told of is
    /// offline.
    public struct PresenceUpdated: Codable, Hashable, Sendable {
        public var userId: WireID
        public var presence: Presence

        public init(userId: WireID, presence: Presence) {
            self.userId = userId
            self.presence = presence
        }
    }
}
