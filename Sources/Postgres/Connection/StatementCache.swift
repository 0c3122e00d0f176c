/// Which statements one session has prepared, by text and parameter types.
struct StatementCache {
    struct Key: Hashable {
        let text: String
        let types: [UInt32]
    }

    /// How a statement is to be sent now.
    enum Plan: Equatable {
        case execute(name: String)
        case prepareAndExecute(name: String)
        /// Parsed for this one use.
        case once
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
        /// The request whose preparation is not confirmed yet.
        var preparing: ObjectIdentifier?
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var clock: UInt64 = 0

    /// Names that are out of the cache, still to be freed on the server.
    private(set) var evicted: [String] = []

    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    /// Looks a statement up for a request, and enters it if it is new.
    ///
    /// While another request's preparation is under way, its success is unknown: whoever sends the same text meanwhile
    /// has it parsed for itself, so that the failure of one request never becomes another's.
    mutating func plan(_ key: Key, for request: ObjectIdentifier) -> Plan {
        clock += 1
        if let entry = entries[key] {
            guard entry.preparing == nil || entry.preparing == request else { return .once }
            entries[key]?.lastUse = clock
            return .execute(name: entry.name)
        }
        // Bounds what a burst of new statements, or a server that cannot free the old ones now, may pile up.
        guard entries.count < 2 * capacity, evicted.count < capacity else { return .once }
        let name = "p\(clock)"
        entries[key] = Entry(name: name, lastUse: clock, preparing: request)
        return .prepareAndExecute(name: name)
    }

    mutating func confirm(_ key: Key) {
        entries[key]?.preparing = nil
        guard entries.count > capacity else { return }
        let ready = entries.filter { $0.value.preparing == nil }
        guard let oldest = ready.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        evict(oldest.key)
    }

    /// Takes out a statement that the server has prepared but that is of no use any more.
    mutating func evict(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { evicted.append(entry.name) }
    }

    /// Takes out a statement that the server does not have.
    mutating func forget(_ key: Key) {
        entries[key] = nil
    }

    mutating func takeEvicted() -> [String] {
        defer { evicted = [] }
        return evicted
    }
}
