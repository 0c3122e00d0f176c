import CoreMetrics

/// All metrics of the read models.
enum ProjectionMetrics {
    /// Events per transaction of the projector.
    static let batchSize = Recorder(label: "parley_projection_batch_events")
    /// Events in the read models.
    static let events = Counter(label: "parley_projection_events_total")
    static func note(_ events: Int) {
        batchSize.record(events)
        self.events.increment(by: events)
    }

    /// Rounds that failed and were tried again.
    static let failures = Counter(label: "parley_projection_failures_total")
    /// Batches that another worker had written already.
    static let overtaken = Counter(label: "parley_projection_overtaken_total")
    /// Chunks of 32 messages that search has the words of.
    static let indexedChunks = Counter(label: "parley_search_indexed_chunks_total")
    /// Events of a partition that the log has and the read models do not have yet. Kept by who records it: finding a series by
    /// its labels takes longer than what is done for an event.
    static func lag(_ partition: Int) -> Gauge {
        Gauge(label: "parley_projection_lag_events", dimensions: [("partition", "\(partition)")])
    }

    /// Seconds that the oldest event has waited which the read models do not show.
    static let age = Gauge(label: "parley_projection_lag_seconds")
    /// Partitions that this process projects.
    static let leases = Gauge(label: "parley_projection_leases")
    /// Streams whose events a read model cannot take, of all processes.
    static let parkedStreams = Gauge(label: "parley_projection_parked_streams")

    /// Partitions that stand still here: in front of an event of a newer program, or because of an error.
    static func record(stopped faults: some Collection<PartitionFault>) {
        let newer = faults.count { $0.isNewer }
        Gauge(label: "parley_projection_stopped_partitions", dimensions: [("cause", "newer")]).record(newer)
        Gauge(label: "parley_projection_stopped_partitions", dimensions: [("cause", "error")])
            .record(faults.count - newer)
    }

    /// For each read model whether a rebuild is due, because its rows are not what this program makes.
    static func record(toRebuild due: Set<String>) {
        for projection in Projections.all {
            Gauge(label: "parley_projection_rebuild_due", dimensions: [("projection", projection.name)])
                .record(due.contains(projection.name) ? 1 : 0)
        }
    }

    /// Callers that wait for a position.
    static let waiting = Gauge(label: "parley_projection_waiting")

    /// Events that a read model left out.
    static func parked(_ projection: String) -> Counter {
        Counter(label: "parley_projection_parked_events_total", dimensions: [("projection", projection)])
    }

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        record(stopped: [PartitionFault]())
        for counter in [events, failures, overtaken] { counter.increment(by: 0) }
    }
}
