/// `GET /v1/sync?since=`: what the stream would have sent.
public struct SyncDelta: Codable, Hashable, Sendable {
    public var events: [Event]
    public var cursor: String
    public var hasMore: Bool

    public init(events: [Event], cursor: String, hasMore: Bool) {
        self.events = events
        self.cursor = cursor
        self.hasMore = hasMore
    }

    /// One event of the stream; its `id` is null where the stream has none.
    public struct Event: Hashable, Sendable {
        public var id: String?
        public var event: StreamEvent

        public init(id: String?, event: StreamEvent) {
            self.id = id
            self.event = event
        }
    }
}

extension SyncDelta.Event: Codable {
    private enum CodingKeys: String, CodingKey { case id, event, data }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(String.self, forKey: .id)
        let name = try container.decode(String.self, forKey: .event)
        event = try StreamEvent(name: name, from: container.superDecoder(forKey: .data))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(event.name, forKey: .event)
        try event.encodeData(to: container.superEncoder(forKey: .data))
    }
}
