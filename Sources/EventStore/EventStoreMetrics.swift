import CoreMetrics
import Metrics

/// All metrics of the event store.
enum EventStoreMetrics {
    /// Commands per batch of a lane.
    static let batchSize = Recorder(label: "parley_lane_batch_commands")
    /// Rounds of a lane that failed and were tried again.
    static let laneFailures = Counter(label: "parley_lane_failures_total")
    /// Appends of lanes that knew where their partitions ended; the others looked it up.
    static let placedAppends = Counter(label: "parley_lane_placed_appends_total")
    /// Rounds of a lane under its partitions' locks: after a failure, or where another process writes there, too.
    static let guardedRounds = Counter(label: "parley_lane_guarded_rounds_total")
    /// Events of long histories that were folded beside the lanes.
    static let coldEvents = Counter(label: "parley_lane_cold_events_total")
    /// Commands refused because a lane's queue was full.
    static let overloads = Counter(label: "parley_lane_overloads_total")
    /// Reads of the log by the feed because its tail in memory did not reach back, or another process wrote.
    static let feedReads = Counter(label: "parley_feed_log_reads_total")
    /// The format that the log is known to have.
    static let logFormat = Gauge(label: "parley_log_format")
    /// Times that an event had to wait for a living process that cannot read its format.
    static let formatRefusals = Counter(label: "parley_format_refusals_total")
    /// Events whose content has left the log, since the message was deleted.
    static let shreddedEvents = Counter(label: "parley_shredded_events_total")
    /// New epochs of the log while this process ran: promotions of a standby, and backups that were put back.
    static let epochs = Counter(label: "parley_log_epochs_total")

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for counter in [laneFailures, overloads, formatRefusals, epochs] { counter.increment(by: 0) }
    }
}
