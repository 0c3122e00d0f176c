import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire
import ReadModels

/// The directory of people.
struct UsersController {
    let identity: Identity
    let queries: Queries
    let presence: PresenceReader
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.read("users", use: list)
        group.read("users/{userId}", use: get)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let search = try query.text("query", atMost: Query.maxSearchText)
        let cursor = try query.text("cursor")
        let limit = try query.limit(limits)
        let caller = context.callerID
        // Who knows the whole address finds its owner; parts of addresses find nobody.
        if let search, search.contains("@") {
            let owner = try await identity.userID(byEmail: search)
            let user = owner == caller ? nil : try await user(owner)
            let items = try await presence.show(user.map { [$0] } ?? [], to: caller)
            return Representation(encoding: ListPage(items: items, nextCursor: nil))
        }
        var page = try await queries.directory(matching: search, excluding: caller, after: cursor, limit: limit)
        page.items = try await presence.show(page.items, to: caller)
        return Representation(encoding: page, weighing: 350 * page.items.count)
    }

    private func user(_ id: UUID?) async throws -> User? {
        guard let id else { return nil }
        return try await queries.directoryEntry(id)
    }

    @Sendable private func get(_ request: Request, _ context: CallerContext) async throws -> Representation {
        guard let user = try await queries.user(try context.id("userId")),
            let shown = try await presence.show([user], to: context.callerID).first
        else { throw HTTPProblem.notFound }
        return Representation(encoding: shown)
    }
}
