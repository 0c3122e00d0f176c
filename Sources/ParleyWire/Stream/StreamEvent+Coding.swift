public import Foundation

extension StreamEvent {
    /// Reads the `data` of an event by its name, as it came in a stream.
    ///
    /// - Throws: `DecodingError` where a known event has other data than the contract says.
    public init(name: String, data: Data, decoder: JSONDecoder = WireJSON.decoder()) throws {
        self = try decoder.decode(Named.self, from: data, configuration: name).event
    }

    /// The `data` of the event as JSON on one line.
    public func data() -> Data {
        Data(JSONWriter.data(of: self, reserving: 1_024))
    }

    init(name: String, from decoder: any Decoder) throws {
        guard let known = StreamEventName(rawValue: name) else {
            self = .unknown(name: name)
            return
        }
        switch known {
        case .hello: self = .hello(try Hello(from: decoder))
        case .ready: self = .ready
        case .messageCreated: self = .messageCreated(try MessageCreated(from: decoder))
        case .messageUpdated: self = .messageUpdated(try MessageChanged(from: decoder))
        case .messageDeleted: self = .messageDeleted(try MessageChanged(from: decoder))
        case .reactionUpdated: self = .reactionUpdated(try ReactionUpdated(from: decoder))
        case .receiptUpdated: self = .receiptUpdated(try ReceiptUpdated(from: decoder))
        case .conversationCreated: self = .conversationCreated(try ConversationChanged(from: decoder))
        case .conversationUpdated: self = .conversationUpdated(try ConversationChanged(from: decoder))
        case .conversationRemoved: self = .conversationRemoved(try ConversationRemoved(from: decoder))
        case .participantAdded: self = .participantAdded(try ParticipantChanged(from: decoder))
        case .participantUpdated: self = .participantUpdated(try ParticipantChanged(from: decoder))
        case .participantRemoved: self = .participantRemoved(try ParticipantChanged(from: decoder))
        case .userUpdated: self = .userUpdated(try UserUpdated(from: decoder))
        case .unreadUpdated: self = .unreadUpdated(try UnreadUpdated(from: decoder))
        case .reset: self = .reset
        case .goAway: self = .goAway(try GoAway(from: decoder))
        case .ping: self = .ping
        case .memberUpdated: self = .memberUpdated(try MemberUpdated(from: decoder))
        case .typingUpdated: self = .typingUpdated(try TypingUpdated(from: decoder))
        case .blockUpdated: self = .blockUpdated(try BlockUpdated(from: decoder))
        case .presenceUpdated: self = .presenceUpdated(try PresenceUpdated(from: decoder))
        }
    }

    func encodeData(to encoder: any Encoder) throws {
        switch self {
        case .hello(let data): try data.encode(to: encoder)
        case .messageCreated(let data): try data.encode(to: encoder)
        case .messageUpdated(let data), .messageDeleted(let data): try data.encode(to: encoder)
        case .reactionUpdated(let data): try data.encode(to: encoder)
        case .receiptUpdated(let data): try data.encode(to: encoder)
        case .conversationCreated(let data), .conversationUpdated(let data): try data.encode(to: encoder)
        case .conversationRemoved(let data): try data.encode(to: encoder)
        case .participantAdded(let data), .participantUpdated(let data), .participantRemoved(let data):
            try data.encode(to: encoder)
        case .userUpdated(let data): try data.encode(to: encoder)
        case .unreadUpdated(let data): try data.encode(to: encoder)
        case .memberUpdated(let data): try data.encode(to: encoder)
        case .typingUpdated(let data): try data.encode(to: encoder)
        case .blockUpdated(let data): try data.encode(to: encoder)
        case .presenceUpdated(let data): try data.encode(to: encoder)
        case .goAway(let data): try data.encode(to: encoder)
        case .ready, .reset, .ping, .unknown: try Empty().encode(to: encoder)
        }
    }
}

private struct Named: DecodableWithConfiguration {
    let event: StreamEvent

    init(from decoder: any Decoder, configuration name: String) throws {
        event = try StreamEvent(name: name, from: decoder)
    }
}
