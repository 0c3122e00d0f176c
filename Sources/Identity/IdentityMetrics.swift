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
}
