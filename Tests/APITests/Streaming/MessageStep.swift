import Foundation
import Messaging
import TestSupport

@testable import API

/// Something that becomes of a message.
enum MessageStep: Sendable {
    case edit(String)
    case delete
    case react(String)
    case takeBack(String)
    case pin
    case unpin
}

extension LiveServer {
    /// As a request would.
    func change(_ message: UUID, by step: MessageStep, _ person: LivePerson, in conversation: UUID) async throws {
        let commands = MessageCommands(
            commands: ConversationCommands(eventStore: eventStore, identity: identity, clock: CommandClock())
        )
        var emoji: Emoji?
        if case .react(let text) = step { emoji = Emoji(text) }
        if case .takeBack(let text) = step { emoji = Emoji(text) }
        if case .edit(let text) = step { SecretWatch.add(text) }
        _ = try await commands.handle(message, in: conversation, by: person.id, emoji) { facts in
            switch (step, emoji) {
            case (.edit(let text), _):
                let now = Date()
                return .editMessage(
                    EditMessage(message: facts, editor: person.id, text: text, now: now, window: 86_400)
                )
            case (.react, let emoji?):
                return .react(React(message: facts, person: person.id, emoji: emoji, isAdded: true))
            case (.takeBack, let emoji?):
                return .react(React(message: facts, person: person.id, emoji: emoji, isAdded: false))
            case (.pin, _): return .pin(PinMessage(message: facts, actor: person.id, isPinned: true))
            case (.unpin, _): return .pin(PinMessage(message: facts, actor: person.id, isPinned: false))
            case (.delete, _), (.react, nil), (.takeBack, nil):
                return .deleteMessage(DeleteMessage(message: facts, actor: person.id))
            }
        }
    }
}
