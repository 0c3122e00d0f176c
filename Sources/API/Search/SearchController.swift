import Edge
import Hummingbird
import ParleyWire
import ReadModels

/// Looking for messages among those that the caller may read.
struct SearchController {
    let queries: Queries
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.post("search", use: search)
    }

    @Sendable private func search(_ request: Request, _ context: CallerContext) async throws -> Response {
        let fields = try SearchFields(try await request.fields(), limits: limits)
        let page: ListPage<SearchResult>?
        do {
            page = try await queries.search(
                fields.request,
                for: context.callerID,
                after: fields.cursor,
                limit: fields.limit
            )
        } catch is BadCursor {
            // Here it is no parameter of the URL.
            throw HTTPProblem.invalid(pointer: "/cursor", .invalid, "A cursor of this search is expected.")
        }
        guard var page else { throw HTTPProblem.notFound }
        // All that is searched is texts.
        if !fields.asksForTexts { page = ListPage(items: [], nextCursor: nil, users: [:]) }
        let weight = page.items.reduce(page.users?.weight ?? 0) { $0 + $1.message.weight }
        return await JSONBody.response(page, weighing: weight)
    }
}
