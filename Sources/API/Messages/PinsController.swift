import Edge
import Hummingbird
import Messaging
import ParleyWire
import ReadModels

/// Pinning messages for all members, and listing what is pinned.
struct PinsController {
    let actions: MessageActions
    let queries: Queries
    let limits: ServerLimits

    private static let pin = "conversations/{conversationId}/messages/{messageId}/pin"

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("\(Self.pin)", use: pin)
        group.delete("\(Self.pin)", use: unpin)
        group.read("conversations/{conversationId}/pins", use: list)
    }

    @Sendable private func pin(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await actions.change(context) { .pin(PinMessage(message: $0, actor: $1, isPinned: true)) }
    }

    @Sendable private func unpin(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await actions.takeBack(context) { .pin(PinMessage(message: $0, actor: $1, isPinned: false)) }
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
