import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire

/// The devices on which the caller is signed in.
struct SessionsController {
    let identity: Identity
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.read("sessions", use: list)
        group.delete("sessions", use: endAll)
        group.delete("sessions/{sessionId}", use: end)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let cursor = try query.text("cursor")
        let limit = try query.limit(limits)
        let (sessions, next) = try await identity.sessions(of: context.callerID, after: cursor, limit: limit)
        let items = sessions.map { ListedSession($0, current: context.caller.sessionID) }
        return Representation(encoding: ListPage(items: items, nextCursor: next))
    }

    @Sendable private func end(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("sessionId")
        guard try await identity.endSession(id, of: context.caller) else { throw HTTPProblem.notFound }
        let response = Response(status: .noContent)
        return id == context.caller.sessionID ? context.signedOut(response) : response
    }

    private enum All: String, CaseIterable {
        case yes = "true"
        case no = "false"
    }

    @Sendable private func endAll(_ request: Request, _ context: CallerContext) async throws -> Response {
        let all = try Query(request.uri.query).choice("all", of: All.self)
        try await identity.endSessions(of: context.caller, includingCurrent: all == .yes)
        let response = Response(status: .noContent)
        return all == .yes ? context.signedOut(response) : response
    }
}
