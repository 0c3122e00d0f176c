import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import ParleyWire
import ReadModels

/// What becomes of a message after it was sent: editing, deleting, reacting.
struct MessageChangesController {
    let commands: MessageCommands
    let queries: Queries
    let visibility: Visibility
    let limits: ServerLimits

    private static let message = "conversations/{conversationId}/messages/{messageId}"

    func addRoutes(to group: Routes<CallerContext>) {
        group.patch("\(Self.message)", use: edit)
        group.delete("\(Self.message)", use: delete)
        group.read("\(Self.message)/history", use: history)
        group.put("\(Self.message)/reactions/{emoji}", use: react)
        group.delete("\(Self.message)/reactions/{emoji}", use: takeBack)
    }

    @Sendable private func edit(_ request: Request, _ context: CallerContext) async throws -> Response {
        let text = try MessageText(try await request.fields(), limits: limits).text
        let now = commands.commands.clock.moment()
        return try await changed(context) { facts, caller in
            .editMessage(
                EditMessage(
                    message: facts,
                    editor: caller,
                    text: text,
                    now: now,
                    window: TimeInterval(limits.editWindowSeconds)
                )
            )
        }
    }

    private enum Scope: String, CaseIterable {
        case everyone
    }

    @Sendable private func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        _ = try Query(request.uri.query).choice("for", of: Scope.self)
        let caller = context.callerID
        let handled = try await commands.handle(
            try context.id("messageId"),
            in: try context.id("conversationId"),
            by: caller
        ) { .deleteMessage(DeleteMessage(message: $0, actor: caller)) }
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    @Sendable private func react(_ request: Request, _ context: CallerContext) async throws -> Response {
        let emoji = try context.emoji()
        return try await changed(context, emoji) { facts, caller in
            .react(React(message: facts, person: caller, emoji: emoji, isAdded: true))
        }
    }

    @Sendable private func takeBack(_ request: Request, _ context: CallerContext) async throws -> Response {
        let emoji = try context.emoji()
        let caller = context.callerID
        let handled = try await commands.handle(
            try context.id("messageId"),
            in: try context.id("conversationId"),
            by: caller,
            emoji
        ) { .react(React(message: $0, person: caller, emoji: emoji, isAdded: false)) }
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    /// Answers with the message as it is then.
    private func changed(
        _ context: CallerContext,
        _ emoji: Emoji? = nil,
        by command: (MessageFacts, UUID) -> ConversationCommand
    ) async throws -> Response {
        let id = try context.id("messageId")
        let conversation = try context.id("conversationId")
        let caller = context.callerID
        let handled = try await commands.handle(id, in: conversation, by: caller, emoji) { command($0, caller) }
        guard try await visibility.reaches(handled.token),
            let message = try await queries.message(id, in: conversation, for: caller)
        else { throw ConversationAnswers.notShownYet }
        return JSONBody.response(
            writing: message,
            reserving: 1_024,
            status: .ok,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    @Sendable private func history(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let versions = try await queries.versions(
            of: try context.id("messageId"),
            in: try context.id("conversationId"),
            for: context.callerID
        )
        guard let versions else { throw HTTPProblem.notFound }
        return Representation(ListPage(items: versions, nextCursor: nil))
    }
}

extension CallerContext {
    /// The reaction that the path names.
    fileprivate func emoji() throws(HTTPProblem) -> Emoji {
        guard let emoji = text("emoji").flatMap({ Emoji($0) }) else {
            throw .invalid(parameter: "emoji", .invalid, "One emoji is expected, percent-encoded.")
        }
        return emoji
    }
}
