import EventSourcing
import Foundation
import Messaging

/// What becomes of messages.
extension RandomHistory {
    mutating func edit() {
        guard let (id, _) = pick(), let message = messages[id]?.randomElement(using: &random) else { return }
        decide(
            .editMessage(
                EditMessage(
                    message: message,
                    editor: message.sender,
                    text: "Edited \(random.below(1_000))",
                    now: message.sentAt,
                    window: 1
                )
            ),
            on: id,
            by: message.sender
        )
    }

    mutating func delete() {
        guard let (id, conversation) = pick(), let message = messages[id]?.randomElement(using: &random),
            let actor = random.below(2) == 0 ? message.sender : member(of: conversation)
        else { return }
        decide(.deleteMessage(DeleteMessage(message: message, actor: actor)), on: id, by: actor)
    }

    /// All that may go, in one of the conversations.
    mutating func expire() {
        guard let (id, _) = pick(), let messages = messages[id] else { return }
        let some = messages.suffix(3 + random.below(6)).dropLast(random.below(3))
        let expire = ExpireMessages(messages: Array(some), now: Date(timeIntervalSince1970: 10_000_000))
        decide(.expireMessages(expire), on: id, by: nil)
    }

    mutating func react() {
        guard let (id, conversation) = pick(), let person = member(of: conversation),
            var message = messages[id]?.suffix(4).randomElement(using: &random),
            let emoji = ["\u{1F44D}", "\u{2764}", "\u{1F1EB}\u{1F1F7}"].compactMap({ Emoji($0) })
                .randomElement(using: &random)
        else { return }
        message.hasReacted = reactions[id]?[message.id]?.contains(Reaction(person: person, emoji: emoji)) ?? false
        decide(
            .react(React(message: message, person: person, emoji: emoji, isAdded: !message.hasReacted)),
            on: id,
            by: person
        )
    }

    mutating func pin() {
        guard let (id, conversation) = pick(), let person = member(of: conversation),
            let message = messages[id]?.suffix(6).randomElement(using: &random)
        else { return }
        let isPinned = !conversation.pinnedMessages.contains(message.id)
        decide(.pin(PinMessage(message: message, actor: person, isPinned: isPinned)), on: id, by: person)
    }
}
