import CoreMetrics

/// What connections tell of themselves.
enum ConnectionMetrics {
    private static let open = Gauge(label: "parley_connections_open")

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

    static func opened(_ total: Int) { open.record(total) }
    static func refused(by cap: Cap) { refusals[cap]?.increment(by: 1) }
    static func ended(for reason: Reason) { endings[reason]?.increment(by: 1) }

    private static func counters<Key>(_ keys: Key.Type, _ label: String, by name: String) -> [Key: Counter]
    where Key: CaseIterable & RawRepresentable & Hashable, Key.RawValue == String {
        Dictionary(
            uniqueKeysWithValues: Key.allCases.map { ($0, Counter(label: label, dimensions: [(name, $0.rawValue)])) }
        )
    }
}
