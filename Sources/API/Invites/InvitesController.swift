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

/// Codes that let strangers into a group: making, listing and taking them back, and coming in by one.
///
/// All is answered from the log: a code that was taken back opens nothing from then on, and one for the last use is used
/// once. Whatever does not open is answered alike, so that a wrong code tells nothing.
struct InvitesController {
    let commands: ConversationCommands
    let queries: Queries
    let answers: ConversationAnswers
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.post("conversations/{conversationId}/invites", use: create)
        group.read("conversations/{conversationId}/invites", use: list)
        group.delete("conversations/{conversationId}/invites/{code}", use: end)
        group.read("invites/{code}", use: preview)
        group.post("invites/{code}/join", use: join)
    }

    @Sendable private func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let caller = context.callerID
        let now = commands.clock.moment()
        let fields = try CreateInviteFields(try await request.optionalFields(), limits: limits, now: now)
        let key = try request.idempotencyKey
        let command = commands.commandID(for: key, of: caller) ?? commands.clock.newID()
        let creation = CreateInvite(
            actor: caller,
            code: InviteCode(of: id),
            command: command,
            maxUses: fields.maxUses,
            expiresAt: fields.expiresAt,
            now: now
        )
        let handled = try await commands.handle(
            .createInvite(creation),
            on: id,
            by: caller,
            commandID: command,
            content: fields.content
        ) { $0.invites }
        guard let record = handled.events.first, case .inviteCreated(let created) = record.conversationEvent else {
            throw CommandError.idConflict
        }
        // A repeated one may have been taken back, or used up, since.
        guard let invite = handled.answer[created.invite], let wire = ParleyWire.Invite(invite, record) else {
            throw HTTPProblem.notFound
        }
        return JSONBody.response(
            wire,
            status: handled.isReplay ? .ok : .created,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let id = try context.id("conversationId")
        let now = commands.clock.moment()
        let open = try await commands.state(of: id, for: context.callerID) { state throws(ConversationRejection) in
            try state.require(.manageInvites, by: context.callerID)
            return state.invites.values.filter { $0.isOpen(at: now) }
        }
        let byCommand = Dictionary(open.map { ($0.command, $0) }) { first, _ in first }
        let stream = StreamID(.conversation, id)
        let records = try await commands.eventStore.log.events(of: Array(byCommand.keys), in: stream)
        let items = records.sorted { $0.version < $1.version }.compactMap { record in
            byCommand[record.commandID].flatMap { ParleyWire.Invite($0, record) }
        }
        return Representation(encoding: ListPage(items: items, nextCursor: nil))
    }

    @Sendable private func end(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let caller = context.callerID
        let code = context.text("code").flatMap { InviteCode($0) }
        guard let code, code.conversation == id else {
            // Only who may take one back is told that there is none.
            try await commands.require(.manageInvites, by: caller, in: id)
            throw HTTPProblem.notFound
        }
        let handled = try await commands.handle(
            .endInvite(EndInvite(actor: caller, invite: code.invite)),
            on: id,
            by: caller
        ) { _ in }
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    @Sendable private func preview(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let code = try context.inviteCode
        let now = commands.clock.moment()
        let isOpen = try await commands.state(of: code.conversation, for: context.callerID) {
            state throws(ConversationRejection) in
            state.openInvite(code.invite, at: now) != nil
        }
        guard isOpen, let preview = try await queries.preview(of: code.conversation) else { throw HTTPProblem.notFound }
        return Representation(encoding: preview)
    }

    @Sendable private func join(_ request: Request, _ context: CallerContext) async throws -> Response {
        let code = try context.inviteCode
        let caller = context.callerID
        let key = try request.idempotencyKey
        var content = CanonicalContent("joinByInvite")
        content.append(code.invite)
        let join = JoinByInvite(
            person: caller,
            invite: code.invite,
            maxMembers: limits.maxGroupMembers,
            now: commands.clock.moment()
        )
        let handled: Handled<Messaging.Conversation>
        do {
            handled = try await commands.handle(
                .joinByInvite(join),
                on: code.conversation,
                by: caller,
                commandID: commands.commandID(for: key, of: caller),
                content: content.bytes
            ) { $0 }
        } catch ConversationRejection.groupFull(let limit) {
            throw HTTPProblem.groupFull(limit, at: "code")
        }
        return try await answers.response(
            code.conversation,
            for: caller,
            after: handled,
            isNew: false,
            newcomers: .joining(caller)
        )
    }
}

extension CallerContext {
    /// The code of the path; what is none opens nothing.
    fileprivate var inviteCode: InviteCode {
        get throws(HTTPProblem) {
            guard let code = text("code").flatMap({ InviteCode($0) }) else { throw .notFound }
            return code
        }
    }
}

extension ParleyWire.Invite {
    /// Nil where the creator is erased, and the code gone.
    fileprivate init?(_ invite: Messaging.Invite, _ record: RecordedEvent) {
        guard case .inviteCreated(let created) = record.conversationEvent, let code = created.code else { return nil }
        self.init(
            code: code,
            createdBy: WireID(invite.creator),
            createdAt: record.recordedAt,
            expiresAt: invite.expiresAt,
            maxUses: invite.maxUses,
            uses: invite.uses
        )
    }
}
