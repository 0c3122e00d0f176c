import Postgres
import Synchronization

/// Whether there is any webhook, so that a server without one writes nothing for them.
///
/// That there is none holds for a moment only. Whoever makes the first one waits for longer than that before saying so: from
/// then on no process passes an event.
package final class WebhookInterest: Sendable {
    static let goodFor = Duration.seconds(1)
    /// How long whoever makes the first webhook waits.
    package static let wait = Duration.milliseconds(1_250)

    private struct Answer {
        let askedAt: ContinuousClock.Instant
        let isAny: Bool
    }

    private let answer = Mutex<Answer?>(nil)

    init() {}

    var mayBe: Bool {
        answer.withLock { answer in
            guard let answer, !answer.isAny else { return true }
            return ContinuousClock.now - answer.askedAt >= Self.goodFor
        }
    }

    /// Whether there was any when it was last asked, however long ago that is.
    var wasAny: Bool { answer.withLock { $0?.isAny ?? true } }

    func ask(_ pool: PostgresPool) async throws {
        let now = ContinuousClock.now
        let rows = try await pool.query("SELECT EXISTS (SELECT FROM parley.webhooks) AS is_any")
        let isAny: Bool = try rows.first?.decode("is_any") ?? true
        answer.withLock { answer in
            // An older question may be answered later.
            if let newer = answer, newer.askedAt > now { return }
            answer = Answer(askedAt: now, isAny: isAny)
        }
    }
}
