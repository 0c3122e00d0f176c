import Metrics

/// What streams tell of themselves.
enum StreamMetrics {
    /// Streams that are open in this process.
    static let open = Gauge(label: "parley_streams_open")
    /// Events of the log that were passed on to the hub.
    static let passedOn = Counter(label: "parley_stream_events_total")
    /// How often a stream was sent back to the log: it was slow, or something had not been rendered for it.
    static let fallbacks = Counter(label: "parley_stream_fallbacks_total")
    /// Events of the log that were read for clients that came back or fell behind.
    static let caughtUp = Counter(label: "parley_stream_catch_up_events_total")
    /// Events that could not be passed on at once, because the database could not be read.
    static let faults = Counter(label: "parley_stream_faults_total")
    /// Events that could not be rendered however often it was tried: those concerned were sent back to the log.
    static let unrendered = Counter(label: "parley_stream_unrendered_events_total")
    /// Events that clients who caught up were not told of, since they could not be rendered however often it was tried.
    static let passedOver = Counter(label: "parley_stream_passed_over_events_total")
    /// Partitions that hold an event of a newer program, which streams do not pass.
    static let stoppedPartitions = Gauge(label: "parley_stream_stopped_partitions")
    /// Partitions whose read models presence waits for: streams that are to be read are told of nobody meanwhile.
    static let withheldPresence = Gauge(label: "parley_presence_waiting_partitions")

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for counter in [fallbacks, faults, unrendered, passedOver] { counter.increment(by: 0) }
    }
}
