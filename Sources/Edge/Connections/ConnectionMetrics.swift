import CoreMetrics

/// What connections tell of themselves.
enum ConnectionMetrics {
    private static let open = Gauge(label: "parley_connections_open")
    /// As many may be open.
    private static let limit = Gauge(label: "parley_connections_limit")

    /// Which cap a connection was one too many for.
    enum Cap: String, CaseIterable {
        case total, address
    }

    /// Why the server ended a connection.
    enum Reason: String, CaseIterable {
        case header, body, answer, pipelining
    }

    private static let refusals = counters(Cap.self, "parley_connections_refused_total", by: "cap")
    private static let endings = counters(Reason.self, "parley_connections_ended_total", by: "reason")

    static func allowed(_ total: Int) { limit.record(total) }
    static func opened(_ total: Int) { open.record(total) }
    static func refused(by cap: Cap) { refusals[cap]?.increment(by: 1) }
    static func ended(for reason: Reason) { endings[reason]?.increment(by: 1) }

    private static func counters<Key>(_ keys: Key.Type, _ label: String, by name: String) -> [Key: Counter]
    where Key: CaseIterable & RawRepresentable & Hashable, Key.RawValue == String {
        Dictionary(
            uniqueKeysWithValues: Key.allCases.map { ($0, Counter(label: label, dimensions: [(name, $0.rawValue)])) }
        )
    }

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for counter in Array(refusals.values) + Array(endings.values) { counter.increment(by: 0) }
    }
}
