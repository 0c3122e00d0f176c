/// Those for whom a session asked to be told of them, as they are now.
public struct PresenceAnswer: Codable, Hashable, Sendable {
    public var items: [StreamEvent.PresenceUpdated]

    public init(items: [StreamEvent.PresenceUpdated]) {
        self.items = items
    }
}
