import Metrics

/// Every metric of this module.
enum PostgresMetrics {
    static let connects = Counter(label: "postgres_connects_total")
    static let connectFailures = Counter(label: "postgres_connect_failures_total")
    static let connectionsLost = Counter(label: "postgres_connections_lost_total")
    static let statementsPrepared = Counter(label: "postgres_statements_prepared_total")
    static let cancels = Counter(label: "postgres_cancels_total")
    static let poolConnections = Gauge(label: "postgres_pool_connections")
    static let poolWaiting = Gauge(label: "postgres_pool_waiting")

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for counter in [connectFailures, connectionsLost, cancels] { counter.increment(by: 0) }
    }
}
