import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Live
import Messaging
import ParleyWire
import ReadModels

/// Whom the caller does not want to hear from. Nobody else is told.
struct BlocksController {
    let commands: ConversationCommands
    let queries: Queries
    let visibility: Visibility
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("blocks/{userId}", use: put)
        group.delete("blocks/{userId}", use: remove)
        group.read("blocks", use: list)
    }

    @Sendable private func put(_ request: Request, _ context: CallerContext) async throws -> Response {
        let handled = try await change(context, isBlocked: true)
        guard try await visibility.reaches(handled.token),
            let block = try await queries.block(of: try context.id("userId"), by: context.callerID)
        else { throw ConversationAnswers.notShownYet }
        return JSONBody.response(
            block,
            status: handled.events.isEmpty ? .ok : .created,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        let handled = try await change(context, isBlocked: false)
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    private func change(_ context: CallerContext, isBlocked: Bool) async throws -> Handled<Void> {
        let (caller, other) = (context.callerID, try context.id("userId"))
        guard caller != other else {
            throw HTTPProblem.invalid(parameter: "userId", .notAllowed, "Another person is expected.")
        }
        guard try await commands.unknownPeople([other]).isEmpty else { throw HTTPProblem.notFound }
        let block = Messaging.Block(person: caller, blocked: other, isBlocked: isBlocked)
        let pair = DerivedID.directConversation(caller, other)
        return try await commands.handle(.block(block), on: pair, by: caller) { _ in }
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await queries.blocks(
            of: context.callerID,
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        return Representation(encoding: page)
    }
}
