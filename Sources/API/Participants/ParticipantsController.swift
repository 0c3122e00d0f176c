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

/// The members of a conversation: adding, removing, joining and leaving.
struct ParticipantsController {
    let commands: ConversationCommands
    let queries: Queries
    let visibility: Visibility
    let answers: ConversationAnswers
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.read("conversations/{conversationId}/participants", use: list)
        group.put("conversations/{conversationId}/participants/{userId}", use: put)
        group.delete("conversations/{conversationId}/participants/{userId}", use: remove)
        group.post("conversations/{conversationId}/join", use: join)
        group.post("conversations/{conversationId}/leave", use: leave)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await queries.participants(
            of: try context.id("conversationId"),
            for: context.callerID,
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        guard let page else { throw HTTPProblem.notFound }
        return Representation(page)
    }

    @Sendable private func put(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let person = try context.id("userId")
        var fields = try await request.optionalFields()
        let role = fields.choice("role", of: Role.self)
        guard fields.areValid else { throw fields.problem }
        guard try await !commands.isUnavailable(person, addedBy: context.callerID, to: id) else {
            try await commands.require(.addParticipant, by: context.callerID, in: id)
            throw HTTPProblem.notFound
        }
        let put = PutParticipant(
            actor: context.callerID,
            person: person,
            role: role,
            maxMembers: limits.maxGroupMembers
        )
        let handled = try await commands.handle(.putParticipant(put), on: id, by: context.callerID) { _ in }
        let addition = handled.events.first { record in
            if case .participantAdded = record.conversationEvent { return true }
            return false
        }
        var participant = try await participant(person, of: id, after: handled.token, addition: addition)
        participant.warnings = try await queries.warnings(of: person, in: id)
        return JSONBody.response(
            participant,
            status: addition == nil ? .ok : .created,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    private func participant(
        _ person: UUID,
        of conversation: UUID,
        after token: Cursor,
        addition: RecordedEvent?
    ) async throws -> Participant {
        if try await visibility.reaches(token),
            let participant = try await queries.participants([person], of: conversation)[person]
        {
            return participant
        }
        guard let addition, case .participantAdded(let added) = addition.conversationEvent else {
            throw ConversationAnswers.notShownYet
        }
        let name = try await queries.summaries(of: [person])[WireID(person)]
        return Participant(
            userId: WireID(person),
            displayName: name?.displayName,
            photoURL: name?.photoURL,
            role: ParticipantRole(rawValue: added.role.rawValue),
            joinedAt: addition.recordedAt,
            revision: addition.position,
            erased: name?.erased
        )
    }

    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let caller = context.callerID
        let removal = RemoveParticipant(actor: caller, person: try context.id("userId"))
        let handled = try await commands.handle(.removeParticipant(removal), on: id, by: caller) { _ in }
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    @Sendable private func join(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let caller = context.callerID
        return try await done(
            .join(Join(person: caller, maxMembers: limits.maxGroupMembers)),
            named: "join",
            on: id,
            by: caller,
            newcomers: .joining(caller),
            request
        )
    }

    @Sendable private func leave(_ request: Request, _ context: CallerContext) async throws -> Response {
        let caller = context.callerID
        return try await done(
            .leave(person: caller),
            named: "leave",
            on: try context.id("conversationId"),
            by: caller,
            request
        )
    }

    private func done(
        _ command: ConversationCommand,
        named route: String,
        on id: UUID,
        by caller: UUID,
        newcomers: ConversationAnswers.Newcomers = .none,
        _ request: Request
    ) async throws -> Response {
        let key = try request.idempotencyKey
        let handled = try await commands.handle(
            command,
            on: id,
            by: caller,
            commandID: commands.commandID(for: key, of: caller),
            content: CanonicalContent(route).bytes
        ) { $0 }
        return try await answers.response(id, for: caller, after: handled, isNew: false, newcomers: newcomers)
    }
}
