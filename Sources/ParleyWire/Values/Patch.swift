/// A field of a PATCH: absent leaves it, null clears it, a value sets it.
public enum Patch<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case clear
    case set(Value)
}

extension Patch: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .clear : .set(try container.decode(Value.self))
    }

    /// Only a keyed container can leave a field out: elsewhere, unchanged is written as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .unchanged, .clear: try container.encodeNil()
        case .set(let value): try container.encode(value)
        }
    }
}

// The compiler's own Codable code calls these more specific ones, also for an absent key.
extension KeyedDecodingContainer {
    public func decode<Value>(_ type: Patch<Value>.Type, forKey key: Key) throws -> Patch<Value> {
        guard contains(key) else { return .unchanged }
        guard try !decodeNil(forKey: key) else { return .clear }
        return .set(try decode(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    public mutating func encode<Value>(_ patch: Patch<Value>, forKey key: Key) throws {
        switch patch {
        case .unchanged: break
        case .clear: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}
