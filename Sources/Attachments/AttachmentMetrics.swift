import CoreMetrics
import Messaging
import Metrics

/// All metrics of files.
enum AttachmentMetrics {
    static let removed = Counter(label: "parley_attachments_removed_total")
    static let harmful = Counter(label: "parley_attachments_harmful_total")
    static let imagesRefused = Counter(label: "parley_images_refused_total")
    /// Pictures that a second helper took over, as the first one was not done in its quarter of the time.
    static let imagesHurried = Counter(label: "parley_images_hurried_total")
    /// Helpers that ended in another way than they should: by a signal, or too late.
    static let helpersKilled = Counter(label: "parley_image_helpers_killed_total")
    static let imageDuration = Timer(label: "parley_image_duration_seconds")
    /// Pictures that wait for their turn, or are being made.
    static let imagesWaiting = Gauge(label: "parley_images_waiting")
    static let collectorFailures = Counter(label: "parley_attachments_collector_failures_total")

    static func uploaded(_ kind: AttachedFile.Kind, bytes: Int64) {
        Counter(label: "parley_attachments_uploaded_total", dimensions: [("kind", kind.rawValue)]).increment()
        Counter(label: "parley_attachments_uploaded_bytes_total", dimensions: [("kind", kind.rawValue)])
            .increment(by: bytes)
    }

    /// Syncs of files and directories, by which files that have come whole are made safe.
    static func synced(_ count: Int) {
        Counter(label: "parley_attachments_syncs_total").increment(by: count)
    }

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for counter in [removed, harmful, imagesRefused, helpersKilled, collectorFailures] { counter.increment(by: 0) }
        synced(0)
    }
}
