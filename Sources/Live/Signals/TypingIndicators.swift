import EventSourcing
import Foundation
import Messaging
import Synchronization

/// Whose typing was published lately: at most once in 2 s for each person and conversation, or since their last message, and
/// between two such that they have stopped.
///
/// In memory only. A client says again that somebody is typing for as long as that is so; who says nothing more has stopped
/// when the lifetime is over, without anything being published.
final class TypingIndicators: Sendable {
    static let lifetime: Duration = .seconds(3)
    private static let interval: Duration = .seconds(2)
    /// Beyond it what is over is forgotten, and if that is too little, all.
    private static let limit = 20_000

    private struct Key: Hashable {
        let conversation: UUID
        let person: UUID
    }

    private struct Indicator {
        let at: ContinuousClock.Instant
        /// Whether it was published since that it is over.
        var isOver = false
    }

    private let indicators = Mutex<[Key: Indicator]>([:])

    /// - Returns: whether it is to be published to the others.
    func note(
        _ isTyping: Bool,
        by person: UUID,
        in conversation: UUID,
        at now: ContinuousClock.Instant = .now
    ) -> Bool {
        let key = Key(conversation: conversation, person: person)
        return indicators.withLock { indicators in
            let last = indicators[key]
            guard isTyping else {
                guard let last, !last.isOver else { return false }
                // When it was published stays known: who goes on and off is published no more often.
                indicators[key]?.isOver = true
                return now - last.at < Self.lifetime
            }
            if let last, now - last.at < Self.interval { return false }
            if indicators.count >= Self.limit { indicators = indicators.filter { now - $0.value.at < Self.lifetime } }
            if indicators.count >= Self.limit { indicators = [:] }
            indicators[key] = Indicator(at: now)
            return true
        }
    }

    /// Whoever has sent a message types no more, whichever process took it.
    func note(_ record: RecordedEvent) {
        guard record.stream.category == .conversation, let sender = record.actor,
            case .event(let event as ConversationEvent) = record.body, case .messageSent = event
        else { return }
        sent(by: sender, in: record.stream.id)
    }

    /// The message ends the typing, as every client knows; the next typing is published at once.
    func sent(by person: UUID, in conversation: UUID) {
        let key = Key(conversation: conversation, person: person)
        indicators.withLock { indicators in
            if !indicators.isEmpty { indicators[key] = nil }
        }
    }
}
