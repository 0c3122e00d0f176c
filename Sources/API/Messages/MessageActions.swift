import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import ReadModels

/// What members do with the message that a path names, and its answer.
struct MessageActions: Sendable {
    let commands: MessageCommands
    let queries: Queries
    let visibility: Visibility

    /// Answers with the message as it is then.
    ///
    /// - Parameters:
    ///   - needsText: whether the command asks what the message says.
    ///   - command: of what is known of the message, and the caller.
    func change(
        _ context: CallerContext,
        _ emoji: Emoji? = nil,
        needsText: Bool = false,
        by command: (MessageFacts, UUID) -> ConversationCommand
    ) async throws -> Response {
        let handled = try await handle(context, emoji, needsText, command)
        guard try await visibility.reaches(handled.token),
            let message = try await queries.message(
                handled.answer,
                in: try context.id("conversationId"),
                for: context.callerID
            )
        else { throw ConversationAnswers.notShownYet }
        return JSONBody.response(
            writing: message,
            reserving: 1_024,
            status: .ok,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    /// Answers with nothing but the position.
    func takeBack(
        _ context: CallerContext,
        _ emoji: Emoji? = nil,
        by command: (MessageFacts, UUID) -> ConversationCommand
    ) async throws -> Response {
        let handled = try await handle(context, emoji, false, command)
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    private func handle(
        _ context: CallerContext,
        _ emoji: Emoji?,
        _ needsText: Bool,
        _ command: (MessageFacts, UUID) -> ConversationCommand
    ) async throws -> Handled<Int64> {
        let caller = context.callerID
        return try await commands.handle(
            try context.id("messageId"),
            in: try context.id("conversationId"),
            by: caller,
            emoji,
            needsText: needsText
        ) { command($0, caller) }
    }
}
