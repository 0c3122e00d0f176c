import Edge
import Hummingbird
import ParleyWire
import Reactors

/// `GET /admin/v1/messages/{messageId}/pushes`: what became of a message's notifications, the newest first.
struct PushesController {
    let timeline: PushTimeline

    func addRoutes(to admin: Routes<OperatorContext>) {
        admin.get("messages/{messageId}/pushes", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: OperatorContext) async throws -> Response {
        guard let entries = try await timeline.entries(of: try context.id("messageId")) else {
            throw HTTPProblem.notFound
        }
        return JSONBody.response(ListPage(items: entries.map { ListedPush($0) }, nextCursor: nil))
    }
}
