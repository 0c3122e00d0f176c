import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import Live
import Messaging
import ParleyWire
import ReadModels

/// Sending messages and reading them.
struct MessagesController {
    let commands: ConversationCommands
    let queries: Queries
    let visibility: Visibility
    let limits: ServerLimits
    let gate: RateGate
    let files: AttachedFiles

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("conversations/{conversationId}/messages/{messageId}", use: put)
        group.post("conversations/{conversationId}/messages", use: post)
        group.read("conversations/{conversationId}/messages", use: history)
        group.read("conversations/{conversationId}/messages/{messageId}", use: get)
        group.read("conversations/{conversationId}/messages/{messageId}/receipts", use: receipts)
    }

    @Sendable private func put(_ request: Request, _ context: CallerContext) async throws -> Response {
        let conversation = try context.id("conversationId")
        let id = try context.newID("messageId")
        return try await send(id, to: conversation, try await request.fields(), context)
    }

    @Sendable private func post(_ request: Request, _ context: CallerContext) async throws -> Response {
        let conversation = try context.id("conversationId")
        let key = try request.idempotencyKey
        let fields = try await request.fields()
        if fields.has("messages") {
            try await gate.pass(.batch, for: .person(context.callerID), noting: context.rates)
            let batches = MessageBatches(
                commands: commands,
                queries: queries,
                visibility: visibility,
                limits: limits,
                files: files
            )
            return try await batches.send(fields, to: conversation, by: context.callerID, key: key)
        }
        let id = commands.commandID(for: key, of: context.callerID) ?? commands.clock.newID()
        return try await send(id, to: conversation, fields, context)
    }

    private func send(
        _ id: UUID,
        to conversation: UUID,
        _ request: Fields,
        _ context: CallerContext
    ) async throws -> Response {
        let fields = try SendMessageFields(request, limits: limits)
        let caller = context.callerID
        let replyTo = try await commands.replyTo(fields.replyToID, in: conversation, for: caller)
        let files = try await files.claim(fields.attachmentIDs, by: caller, for: id, in: conversation)
        let handled = try await self.files.sending(files, as: id, in: conversation) {
            try await commands.send(
                .send(fields.command(id, by: caller, replyTo: replyTo, files: files, at: commands.clock.moment())),
                as: [id],
                to: conversation,
                by: caller,
                content: fields.content
            )
        }
        return JSONBody.response(
            writing: try await answer(to: handled, in: conversation, for: caller, replyTo: replyTo),
            reserving: 1_024,
            status: handled.isReplay ? .ok : .created,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    /// A new message is told from its event, at once. A repeated one is told as it is now, where the read models can.
    private func answer(
        to handled: Handled<Void>,
        in conversation: UUID,
        for caller: UUID,
        replyTo: ReplyTo?
    ) async throws -> Message {
        guard let record = handled.events.first, case .messageSent(let sent) = record.conversationEvent else {
            // The id belongs to another command of this conversation, such as its start.
            throw CommandError.idConflict
        }
        if handled.isReplay, try await visibility.reaches(handled.token),
            let message = try await queries.message(sent.messageID, in: conversation, for: caller)
        {
            return message
        }
        var quoted: ReplyTo?
        if let replyTo {
            quoted = try await queries.quotes([replyTo.id.uuid: replyTo], in: conversation, shownTo: caller).values
                .first
        }
        return Message(
            sent,
            at: record.recordedAt,
            position: record.position,
            in: conversation,
            replyTo: quoted
        )
    }

    @Sendable private func get(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let message = try await queries.message(
            try context.id("messageId"),
            in: try context.id("conversationId"),
            for: context.callerID
        )
        guard let message else { throw HTTPProblem.notFound }
        return Representation(message)
    }

    @Sendable private func history(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let anchor = try HistoryQuery(query)
        let page: HistoryPage?
        do {
            page = try await queries.history(
                of: try context.id("conversationId"),
                for: context.callerID,
                at: anchor.anchor,
                limit: try query.limit(limits)
            )
        } catch is BadCursor {
            throw HTTPProblem.invalid(parameter: anchor.name, .invalid, "A cursor of this conversation is expected.")
        }
        guard let page else { throw HTTPProblem.notFound }
        return Representation(page)
    }

    @Sendable private func receipts(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await queries.receipts(
            of: try context.id("messageId"),
            in: try context.id("conversationId"),
            for: context.callerID,
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        guard let page else { throw HTTPProblem.notFound }
        return Representation(encoding: page)
    }
}
