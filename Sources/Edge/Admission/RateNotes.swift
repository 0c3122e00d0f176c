import Identity
import Synchronization

/// The buckets that one request was counted in, for the headers of its answer.
package final class RateNotes: Sendable {
    private let standings = Mutex<[RateStanding]>([])

    var all: [RateStanding] { standings.withLock { $0 } }

    func add(_ standing: RateStanding) {
        standings.withLock { $0.append(standing) }
    }
}
