import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import Live
import ParleyWire
import ReadModels

/// What a client says of its own presence, and whom its session is told of.
struct PresenceController {
    /// A session is told of so many people for whom it asked.
    private static let mostPeople = 200

    let reader: PresenceReader
    let presences: Presences?
    let rows: PresenceRows

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("me/presence", use: say)
        group.put("presence/subscriptions", use: subscribe)
    }

    private enum Word: String {
        case online, away, offline
    }

    @Sendable private func say(_ request: Request, _ context: CallerContext) async throws -> Response {
        var fields = try await request.fields()
        let text = fields.text("status", 1...64, required: true)
        let word = text.flatMap(Word.init)
        if text != nil, word == nil { fields.fail("status", .invalid, "One of online, away and offline is expected.") }
        guard fields.areValid, let word else { throw fields.problem }
        let status = PresenceStatus(rawValue: word.rawValue)
        presences?.says(status, context.caller.sessionID, of: context.callerID)
        return JSONBody.response(try await reader.own(context.callerID))
    }

    @Sendable private func subscribe(_ request: Request, _ context: CallerContext) async throws -> Response {
        var fields = try await request.fields()
        let ids = fields.ids("userIds", atMost: Self.mostPeople, required: true)
        guard fields.areValid, let ids else { throw fields.problem }
        let caller = context.caller
        var seen: Set<UUID> = []
        let people = ids.filter { seen.insert($0).inserted }
        guard try await rows.put(people, for: caller.sessionID) else {
            throw HTTPProblem.unauthenticated("The session is over: sign in again.")
        }
        presences?.subscriptionsChanged(of: caller.sessionID, by: caller.userID)
        let found = try await reader.presences(of: people, to: caller.userID)
        let items = people.map { person in
            StreamEvent.PresenceUpdated(userId: WireID(person), presence: found[person] ?? Presence(status: .offline))
        }
        return JSONBody.response(PresenceAnswer(items: items))
    }
}
