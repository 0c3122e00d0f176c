import CoreMetrics
import Metrics

/// All metrics of accounts and sessions.
enum IdentityMetrics {
    /// How long hashing or checking a password took, without the wait for a thread.
    static let hashing = Timer(label: "parley_password_hashing_seconds")
    /// Passwords that wait to be hashed or are being hashed.
    static let hashingQueue = Gauge(label: "parley_password_hashing_queue")
    /// Passwords that were not hashed because too many waited.
    static let hashingRefused = Counter(label: "parley_password_hashing_refused_total")
    static let mailsSent = Counter(label: "parley_mail_sent_total")
    /// Tries to deliver a mail that failed.
    static let mailFailures = Counter(label: "parley_mail_failures_total")
    /// Mails that are not tried again.
    static let mailsGivenUp = Counter(label: "parley_mail_given_up_total")
    /// Mails that were asked for while too many waited.
    static let mailsRefused = Counter(label: "parley_mail_refused_total")
    /// Mails in the outbox, of all processes.
    static let mailsWaiting = Gauge(label: "parley_mail_waiting")
    /// Mails that were given up and are kept, of all processes.
    static let mailsDead = Gauge(label: "parley_mail_dead")

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        let counters = [hashingRefused, mailsSent, mailFailures, mailsGivenUp, mailsRefused]
        for counter in counters { counter.increment(by: 0) }
    }
}
