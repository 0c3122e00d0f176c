import Synchronization

/// A clock that a test sets ahead.
final class MovedClock: Sendable {
    private let ahead = Mutex(Duration.zero)

    var moment: ContinuousClock.Instant { ContinuousClock.now + ahead.withLock { $0 } }

    func move(by duration: Duration) {
        ahead.withLock { $0 += duration }
    }
}
