/// The answer to `POST /v1/conversations/{id}/messages` with several: one item for each, in their order.
public struct MessagesAnswer: Codable, Hashable, Sendable {
    public var items: [Message]

    public init(items: [Message]) {
        self.items = items
    }
}
