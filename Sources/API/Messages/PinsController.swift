import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import ParleyWire
import ReadModels

/// Pinning messages for all members, and listing what is pinned.
struct PinsController {
    let commands: MessageCommands
    let queries: Queries
    let visibility: Visibility
    let limits: ServerLimits

    private static let pin = "conversations/{conversationId}/messages/{messageId}/pin"

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("\(Self.pin)", use: pin)
        group.delete("\(Self.pin)", use: unpin)
        group.read("conversations/{conversationId}/pins", use: list)
    }

    /// Answers with the message as it is then.
    @Sendable private func pin(_ request: Request, _ context: CallerContext) async throws -> Response {
        let handled = try await handle(context, isPinned: true)
        let message = try await queries.message(
            try context.id("messageId"),
            in: try context.id("conversationId"),
            for: context.callerID,
            after: handled.token,
            visibility
        )
        return JSONBody.response(
            writing: message,
            reserving: 1_024,
            status: .ok,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    @Sendable private func unpin(_ request: Request, _ context: CallerContext) async throws -> Response {
        let handled = try await handle(context, isPinned: false)
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    private func handle(_ context: CallerContext, isPinned: Bool) async throws -> Handled<Void> {
        let caller = context.callerID
        return try await commands.handle(
            try context.id("messageId"),
            in: try context.id("conversationId"),
            by: caller
        ) { .pin(PinMessage(message: $0, actor: caller, isPinned: isPinned)) }
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await queries.pins(
            of: try context.id("conversationId"),
            for: context.callerID,
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        guard let page else { throw HTTPProblem.notFound }
        return Representation(page)
    }
}

extension Queries {
    /// A message as the caller sees it once a command is shown.
    fileprivate func message(
        _ id: UUID,
        in conversation: UUID,
        for caller: UUID,
        after token: Cursor,
        _ visibility: Visibility
    ) async throws -> ParleyWire.Message {
        guard try await visibility.reaches(token), let message = try await message(id, in: conversation, for: caller)
        else { throw ConversationAnswers.notShownYet }
        return message
    }
}
