/// A bounded cache: what was not used for a whole generation is forgotten.
///
/// Holds at most about `capacity` of weight in two generations. When the young one reaches half of it, it becomes the old
/// one, and the former old one is dropped; a hit in the old one makes an entry young again.
package struct TwoGenerationCache<Key: Hashable, Value> {
    fileprivate struct Entry {
        let value: Value
        let weight: Int
    }

    fileprivate struct Generation {
        private(set) var entries: [Key: Entry] = [:]
        private(set) var weight = 0

        mutating func insert(_ entry: Entry, for key: Key) {
            weight += entry.weight - (entries.updateValue(entry, forKey: key)?.weight ?? 0)
        }

        mutating func remove(_ key: Key) -> Entry? {
            let entry = entries.removeValue(forKey: key)
            weight -= entry?.weight ?? 0
            return entry
        }
    }

    private var young = Generation()
    private var old = Generation()
    private let capacity: Int

    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The weight of all that is held.
    package var weight: Int { young.weight + old.weight }

    package mutating func value(for key: Key) -> Value? {
        if let entry = young.entries[key] { return entry.value }
        guard let entry = old.remove(key) else { return nil }
        insert(entry, for: key)
        return entry.value
    }

    /// - Parameter weight: what the entry weighs from now on, where it was there before, too.
    package mutating func insert(_ value: Value, for key: Key, weight: Int = 1) {
        insert(Entry(value: value, weight: weight), for: key)
    }

    private mutating func insert(_ entry: Entry, for key: Key) {
        _ = old.remove(key)
        young.insert(entry, for: key)
        if young.weight >= max(1, capacity / 2) {
            old = young
            young = Generation()
        }
    }

    package mutating func remove(_ key: Key) {
        _ = young.remove(key)
        _ = old.remove(key)
    }

    package mutating func removeAll() {
        young = Generation()
        old = Generation()
    }
}

extension TwoGenerationCache: Sendable where Key: Sendable, Value: Sendable {}
extension TwoGenerationCache.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension TwoGenerationCache.Generation: Sendable where Key: Sendable, Value: Sendable {}
