extension StreamEvent {
    /// The stream ends; come back after `reconnectInMs`.
    public struct GoAway: Codable, Hashable, Sendable {
        public var reason: GoAwayReason
        public var reconnectInMs: Int

        public init(reason: GoAwayReason, reconnectInMs: Int) {
            self.reason = reason
            self.reconnectInMs = reconnectInMs
        }
    }
}
