import CoreMetrics
import Metrics

/// All metrics of what acts after the fact.
enum ReactorMetrics {
    // MARK: Following the log

    /// Events that the log has and a reactor has not looked at yet.
    static func lag(_ reactor: String) -> Gauge { Gauge(label: "parley_reactor_lag_events", dimensions: of(reactor)) }

    /// Partitions in which a reactor waits in front of an event of a newer program.
    static func stopped(_ reactor: String) -> Gauge {
        Gauge(label: "parley_reactor_stopped_partitions", dimensions: of(reactor))
    }

    /// Transactions that failed and are tried again.
    static func failures(_ reactor: String) -> Counter {
        Counter(label: "parley_reactor_failures_total", dimensions: of(reactor))
    }

    /// Events that a reactor could not be brought to take.
    static func skippedEvents(_ reactor: String) -> Counter {
        Counter(label: "parley_reactor_skipped_events_total", dimensions: of(reactor))
    }

    private static func of(_ reactor: String) -> [(String, String)] { [("reactor", reactor)] }

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin(_ reactor: String) {
        for counter in [failures(reactor), skippedEvents(reactor)] { counter.increment(by: 0) }
    }
}

/// All metrics of push notifications.
enum PushMetrics {
    /// Notifications that wait in the outbox, of all processes; counted up to 100,000.
    static let waiting = Gauge(label: "parley_push_waiting")
    /// Seconds that the one has waited which is due the longest.
    static let oldest = Gauge(label: "parley_push_oldest_seconds")
    /// From the acceptance of a message to that of its notification by the service.
    static let age = Timer(label: "parley_push_age_seconds")
    /// Rounds of the outbox that failed and are tried again.
    static let failures = Counter(label: "parley_push_failures_total")
    /// Notifications that nobody takes: the timeline says why.
    static let dead = Counter(label: "parley_push_dead_total")

    /// The services of a platform that are left alone, in this process.
    static func openBreakers(_ platform: PushPlatform) -> Gauge {
        Gauge(label: "parley_push_open_breakers", dimensions: of(platform))
    }

    /// Tries by what the service said.
    private static func tries(_ platform: PushPlatform, _ outcome: String) -> Counter {
        Counter(label: "parley_push_tries_total", dimensions: of(platform) + [("outcome", outcome)])
    }

    /// What was not sent, by why not.
    private static func dropped(_ reason: String) -> Counter {
        Counter(label: "parley_push_dropped_total", dimensions: [("reason", reason)])
    }

    static func removedDevice(_ platform: PushPlatform) {
        Counter(label: "parley_push_removed_devices_total", dimensions: of(platform)).increment()
    }

    /// Tokens that this process has made to say who we are, where services count them.
    private static func tokens(_ platform: PushPlatform) -> Counter {
        Counter(label: "parley_push_tokens_total", dimensions: of(platform))
    }

    static func madeToken(_ platform: PushPlatform) { tokens(platform).increment() }

    static func note(_ outcome: PushOutcome, _ platform: PushPlatform) {
        tries(platform, outcome.label).increment()
    }

    static func note(_ completion: PushCompletion, _ platform: PushPlatform) {
        switch completion.result {
        case .accepted(.alert): age.recordNanoseconds(Int64(completion.age / .nanoseconds(1)))
        case .dropped(let reason) where completion.job.pending > 0: dropped(reason.rawValue).increment()
        case .dead: dead.increment()
        case .accepted, .dropped, .retry, .postponed: break
        }
    }

    private static func of(_ platform: PushPlatform) -> [(String, String)] { [("provider", platform.rawValue)] }

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin(_ platforms: [PushPlatform]) {
        for counter in [failures, dead] { counter.increment(by: 0) }
        for platform in platforms {
            openBreakers(platform).record(0)
            if platform == .apns { tokens(platform).increment(by: 0) }
            for outcome in ["accepted", "retry", "credentialsRefused"] { tries(platform, outcome).increment(by: 0) }
        }
    }
}

extension PushOutcome {
    fileprivate var label: String {
        switch self {
        case .accepted: "accepted"
        case .addressGone: "addressGone"
        case .addressRefused: "addressRefused"
        case .unserved: "unserved"
        case .retry: "retry"
        case .backOffDevice: "backOffDevice"
        case .credentialsRefused: "credentialsRefused"
        case .rejected: "rejected"
        }
    }
}
