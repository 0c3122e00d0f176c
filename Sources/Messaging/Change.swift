/// What a command does to an optional field: leaves it, clears it or sets it.
package enum Change<Value: Sendable & Codable & Equatable>: Sendable, Equatable {
    case unchanged
    case cleared
    case set(Value)

    /// What makes one value of the other.
    init(from old: Value?, to new: Value?) {
        self = old == new ? .unchanged : new.map { .set($0) } ?? .cleared
    }

    /// The value that is set; nil where it is cleared or unchanged.
    package var newValue: Value? {
        if case .set(let value) = self { value } else { nil }
    }

    package func applied(to value: inout Value?) {
        switch self {
        case .unchanged: break
        case .cleared: value = nil
        case .set(let new): value = new
        }
    }
}

extension KeyedEncodingContainer {
    /// Absent means unchanged, null means cleared.
    mutating func encode<Value>(_ change: Change<Value>, forKey key: Key) throws {
        switch change {
        case .unchanged: break
        case .cleared: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}

extension KeyedDecodingContainer {
    func decodeChange<Value>(_ type: Value.Type, forKey key: Key) throws -> Change<Value> {
        guard contains(key) else { return .unchanged }
        guard let value = try decodeIfPresent(type, forKey: key) else { return .cleared }
        return .set(value)
    }
}
