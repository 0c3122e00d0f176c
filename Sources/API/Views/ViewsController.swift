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

/// The caller's own view of a conversation: muting, archiving, pinning, clearing, marking unread. Nobody else sees it.
struct ViewsController {
    let commands: ConversationCommands
    let queries: Queries
    let visibility: Visibility
    let drafts: Drafts
    let limits: ServerLimits
    /// Publishes a view that has changed beside the log to the devices of its person that are connected here.
    let publishView: @Sendable (_ person: UUID, _ conversation: UUID) -> Void
    /// Has other processes publish it to theirs.
    let hint: @Sendable (_ person: UUID, _ conversation: UUID) -> Void

    /// So often the newest message is looked up, while others keep sending faster than that.
    private static let attempts = 8

    func addRoutes(to group: Routes<CallerContext>) {
        group.patch("conversations/{conversationId}/me", use: patch)
        group.delete("conversations/{conversationId}/me", use: clear)
        group.post("conversations/{conversationId}/unread", use: markUnread)
    }

    @Sendable private func patch(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let fields = try PatchViewFields(try await request.fields(), limits: limits)
        let token = try await change(id, fields, by: context.callerID)
        if fields.draft == .unchanged { return try await answer(id, for: context.callerID, after: token) }
        return try await keep(fields, of: context.callerID, in: id, after: token)
    }

    private func change(_ id: UUID, _ fields: PatchViewFields, by caller: UUID) async throws -> Cursor {
        guard fields.changesView else {
            return try await commands.position(allowing: .changeView, by: caller, in: id)
        }
        var newest: ChangeView.NewestMessage?
        for _ in 0..<Self.attempts {
            let change = ChangeView(
                person: caller,
                mutedUntil: fields.mutedUntil,
                notificationLevel: fields.notificationLevel,
                archived: fields.archived,
                pinned: fields.pinned,
                now: commands.clock.moment(),
                newest: newest
            )
            do {
                return try await commands.handle(.changeView(change), on: id, by: caller) { _ in }.token
            } catch ConversationRejection.staleFacts {
                newest = try await newestMessage(of: id)
            }
        }
        throw CommandError.overloaded
    }

    private func newestMessage(of conversation: UUID) async throws -> ChangeView.NewestMessage? {
        let stream = StreamID(.conversation, conversation)
        let record = try await commands.eventStore.log.newest(of: ConversationEvent.typesOfMessages, in: stream)
        guard let record, case .messageSent(let sent) = record.conversationEvent else { return nil }
        return ChangeView.NewestMessage(seq: sent.seq, at: record.recordedAt)
    }

    private func keep(
        _ fields: PatchViewFields,
        of caller: UUID,
        in id: UUID,
        after token: Cursor
    ) async throws -> Response {
        let now = commands.clock.moment()
        let text = fields.draft.newValue.flatMap { $0.isEmpty ? nil : $0 }
        // A clock that runs ahead must not win for ever.
        try await drafts.put(text, of: caller, in: id, at: min(fields.draftUpdatedAt ?? now, now))
        hint(caller, id)
        publishView(caller, id)
        return try await answer(id, for: caller, after: token)
    }

    @Sendable private func clear(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let now = commands.clock.moment()
        let change = ChangeView(person: context.callerID, clears: true, now: now)
        let handled = try await commands.handle(.changeView(change), on: id, by: context.callerID) { _ in }
        try await drafts.put(nil, of: context.callerID, in: id, at: now)
        // What tells of the clearing may have been made before.
        hint(context.callerID, id)
        publishView(context.callerID, id)
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    @Sendable private func markUnread(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        var fields = try await request.fields()
        let fromSeq = fields.integer("fromSeq", 1...Int64.max, required: true)
        guard let fromSeq, fields.areValid else { throw fields.problem }
        let mark = MarkUnread(person: context.callerID, fromSeq: fromSeq)
        let handled = try await commands.handle(.markUnread(mark), on: id, by: context.callerID) { _ in }
        return try await answer(id, for: context.callerID, after: handled.token)
    }

    /// The view as it is now, marks and all.
    private func answer(_ id: UUID, for caller: UUID, after token: Cursor) async throws -> Response {
        guard try await visibility.reaches(token), let seen = try await queries.conversation(id, for: caller) else {
            throw ConversationAnswers.notShownYet
        }
        return JSONBody.response(
            writing: seen.me,
            reserving: 512,
            status: .ok,
            headers: [.parleyPosition: token.text]
        )
    }
}
