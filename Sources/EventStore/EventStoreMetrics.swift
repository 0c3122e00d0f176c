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
    /// Commands refused because a lane's queue was full.
    static let overloads = Counter(label: "parley_lane_overloads_total")
    /// Reads of the log by the feed because its tail in memory did not reach back, or another process wrote.
    static let feedReads = Counter(label: "parley_feed_log_reads_total")
    /// New epochs of the log while this process ran: promotions of a standby, and backups that were put back.
    static let epochs = Counter(label: "parley_log_epochs_total")
}
