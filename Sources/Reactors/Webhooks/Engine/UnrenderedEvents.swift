import Foundation
import Synchronization

/// How often events could not be rendered for webhooks, in this process. Bounded: of what is forgotten there are more tries.
final class UnrenderedEvents: Sendable {
    private static let limit = 1_000
    private static let longestPause = Duration.seconds(30)

    private struct Key: Hashable {
        let webhook: UUID
        let conversation: UUID
        let version: Int64
    }

    private let counts = Mutex<[Key: Int]>([:])

    /// Counts one more try in vain.
    ///
    /// - Returns: how many there were.
    func count(_ version: Int64, of place: WebhookPlace) -> Int {
        counts.withLock { counts in
            if counts.count >= Self.limit { counts = [:] }
            let count = counts[Self.key(version, place), default: 0] + 1
            counts[Self.key(version, place)] = count
            return count
        }
    }

    func forget(_ version: Int64, of place: WebhookPlace) {
        counts.withLock { $0[Self.key(version, place)] = nil }
    }

    /// How long to wait after so many: 1 s, and twice as long each time.
    static func pause(after count: Int) -> Duration {
        min(longestPause, .seconds(1 << min(max(count - 1, 0), 10)))
    }

    private static func key(_ version: Int64, _ place: WebhookPlace) -> Key {
        Key(webhook: place.webhook, conversation: place.conversation, version: version)
    }
}
