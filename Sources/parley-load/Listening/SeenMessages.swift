import ParleyWire

/// The messages that a stream brought, in the order in which it brought them.
struct SeenMessages: Sendable {
    struct Sighting: Sendable, Equatable {
        let id: WireID
        let seq: Int64
        /// Nil of one that was deleted before it came.
        let text: String?
    }

    private(set) var byConversation: [WireID: [Sighting]] = [:]

    /// System messages are nobody's: the comparison with a fresh snapshot sees to them.
    mutating func take(_ created: StreamEvent.MessageCreated) {
        guard created.message.kind != .system else { return }
        byConversation[created.conversationId, default: []].append(
            Sighting(id: created.message.id, seq: created.message.seq ?? 0, text: created.message.text)
        )
    }

    func inConversation(_ id: WireID) -> [Sighting] { byConversation[id] ?? [] }
}
