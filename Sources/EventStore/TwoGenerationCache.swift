/// A bounded cache: what was not used for a whole generation is forgotten.
///
/// Holds at most `capacity` in two generations. When the young one reaches half of it, it becomes the old one, and the
/// former old one is dropped; a hit in the old one makes an entry young again.
package struct TwoGenerationCache<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngWeight = 0
    private let capacity: Int

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package mutating func value(for key: Key, weight: Int = 1) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        insert(value, for: key, weight: weight)
        return value
    }

    package mutating func insert(_ value: Value, for key: Key, weight: Int = 1) {
        old[key] = nil
        if young.updateValue(value, forKey: key) == nil { youngWeight += weight }
        if youngWeight >= max(1, capacity / 2) {
            old = young
            young = [:]
            youngWeight = 0
        }
    }

    package mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }
}

extension TwoGenerationCache: Sendable where Key: Sendable, Value: Sendable {}
