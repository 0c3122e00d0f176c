import Foundation
import Synchronization

/// When sessions were last used, collected in memory and written now and then: use must not cost a write per request.
///
/// Bounded: past the limit, sessions that are not in it go unnoticed until it is emptied. What a crash loses is what was
/// not written yet.
final class LastSeen: Sendable {
    private let limit: Int
    private let times = Mutex<[UUID: Date]>([:])

    init(limit: Int = 20_000) {
        self.limit = limit
    }

    func note(_ session: UUID, at time: Date) {
        times.withLock { times in
            if let known = times[session] {
                if known < time { times[session] = time }
            } else if times.count < limit {
                times[session] = time
            }
        }
    }

    /// Empties it.
    func take() -> [UUID: Date] {
        times.withLock { times in
            defer { times = [:] }
            return times
        }
    }
}
