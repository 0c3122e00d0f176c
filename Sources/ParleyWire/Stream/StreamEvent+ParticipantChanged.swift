extension StreamEvent {
    /// A member came, changed or went.
    public struct ParticipantChanged: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var participant: Participant

        public init(conversationId: WireID, participant: Participant) {
            self.conversationId = conversationId
            self.participant = participant
        }
    }
}
