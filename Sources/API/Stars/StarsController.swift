import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import ParleyWire
import ReadModels

/// Messages that the caller wants to find again. Nobody else sees them.
struct StarsController {
    let messages: VisibleMessages
    let queries: Queries
    let stars: Stars
    let limits: ServerLimits

    private static let star = "conversations/{conversationId}/messages/{messageId}/star"

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("\(Self.star)", use: put)
        group.delete("\(Self.star)", use: remove)
        group.read("starred", use: list)
    }

    @Sendable private func put(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("messageId")
        let conversation = try context.id("conversationId")
        let message = try await messages.message(id, in: conversation, seenBy: context.callerID)
        guard let seq = message.seq else { throw HTTPProblem.notFound }
        guard message.deletedAt == nil else { throw HTTPProblem(.forbidden, "The message is deleted.") }
        guard let (time, isNew) = try await stars.add(id, at: seq, of: conversation, for: context.callerID) else {
            throw CommandError.unknownActor
        }
        return JSONBody.response(
            StarredMessage(message: message, starredAt: Timestamp.truncate(time)),
            status: isNew ? .created : .ok
        )
    }

    /// Also of what the caller may not see any more.
    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        let conversation = try context.id("conversationId")
        let id = try context.id("messageId")
        try await stars.remove(id, of: conversation, for: context.callerID)
        // What there is not, is no different from what others have.
        _ = try await messages.message(id, in: conversation, seenBy: context.callerID)
        return Response(status: .noContent)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await queries.starred(
            by: context.callerID,
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        let weight = page.items.reduce(page.users?.weight ?? 0) { $0 + $1.message.weight }
        return Representation(encoding: page, weighing: weight)
    }
}
