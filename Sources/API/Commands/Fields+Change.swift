import Edge
import Messaging
import ParleyWire

extension Fields {
    /// What a PATCH does to a field that can be cleared: absent means unchanged, null means cleared.
    mutating func change<Value: Sendable & Codable & Equatable>(
        _ name: String,
        read: (inout Fields, String) -> Value?
    ) -> Change<Value> {
        if isNull(name) { return .cleared }
        return read(&self, name).map { .set($0) } ?? .unchanged
    }

    /// Refuses null for a field of a PATCH that cannot be cleared.
    mutating func refuseNull(_ name: String) {
        if isNull(name) { fail(name, .wrongType, "The field cannot be cleared.") }
    }
}
