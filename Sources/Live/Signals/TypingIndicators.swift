package import Foundation
import Synchronization

/// Which of those who are typing have been told of lately: at most once in 2 s for each person and conversation.
///
/// In memory only. A client says again that somebody is typing for as long as that is so; who says nothing more has stopped
/// when the lifetime is over, without anybody being told.
package final class TypingIndicators: Sendable {
    package static let lifetime: Duration = .seconds(3)
    private static let interval: Duration = .seconds(2)
    /// Beyond it what is over is forgotten, and if that is too little, all.
    private static let limit = 20_000

    private struct Key: Hashable {
        let conversation: UUID
        let person: UUID
    }

    private let toldAt = Mutex<[Key: ContinuousClock.Instant]>([:])

    package init() {}

    /// - Returns: whether the others are to be told.
    package func note(
        _ isTyping: Bool,
        by person: UUID,
        in conversation: UUID,
        at now: ContinuousClock.Instant = .now
    ) -> Bool {
        let key = Key(conversation: conversation, person: person)
        return toldAt.withLock { toldAt in
            let last = toldAt[key]
            guard isTyping else {
                toldAt[key] = nil
                return last.map { now - $0 < Self.lifetime } ?? false
            }
            if let last, now - last < Self.interval { return false }
            if toldAt.count >= Self.limit { toldAt = toldAt.filter { now - $0.value < Self.lifetime } }
            if toldAt.count >= Self.limit { toldAt = [:] }
            toldAt[key] = now
            return true
        }
    }

    /// The message ends the typing, as every client knows; the next typing is told at once.
    package func sent(by person: UUID, in conversation: UUID) {
        let key = Key(conversation: conversation, person: person)
        toldAt.withLock { toldAt in
            if !toldAt.isEmpty { toldAt[key] = nil }
        }
    }
}
