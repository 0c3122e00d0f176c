extension StreamEvent {
    /// The caller's own view of a conversation changed, on another device maybe: absolute, also where a mark went back.
    public struct MemberUpdated: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var me: MemberSettings

        public init(conversationId: WireID, me: MemberSettings) {
            self.conversationId = conversationId
            self.me = me
        }
    }
}
