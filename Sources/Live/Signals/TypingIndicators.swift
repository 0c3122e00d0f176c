import EventSourcing
import Foundation
import Messaging
import Synchronization

/// Which of those who are typing have been told of lately: at most once in 2 s for each person and conversation.
///
/// In memory only. A client says again that somebody is typing for as long as that is so; who says nothing more has stopped
/// when the lifetime is over, without anybody being told.
final class TypingIndicators: Sendable {
    static let lifetime: Duration = .seconds(3)
    private static let interval: Duration = .seconds(2)
    /// Beyond it what is over is forgotten, and if that is too little, all.
    private static let limit = 20_000

    private struct Key: Hashable {
        let conversation: UUID
        let person: UUID
    }

    private let toldAt = Mutex<[Key: ContinuousClock.Instant]>([:])

    /// - Returns: whether the others are to be told.
    func note(
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

    /// Whoever has sent a message types no more, whichever process took it.
    func note(_ record: RecordedEvent) {
        guard record.stream.category == .conversation, let sender = record.actor,
            case .event(let event as ConversationEvent) = record.body, case .messageSent = event
        else { return }
        sent(by: sender, in: record.stream.id)
    }

    /// The message ends the typing, as every client knows; the next typing is told at once.
    func sent(by person: UUID, in conversation: UUID) {
        let key = Key(conversation: conversation, person: person)
        toldAt.withLock { toldAt in
            if !toldAt.isEmpty { toldAt[key] = nil }
        }
    }
}
