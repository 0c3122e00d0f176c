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

    func addRoutes(to group: Routes<CallerContext>) {
        group.patch("conversations/{conversationId}/me", use: patch)
        group.delete("conversations/{conversationId}/me", use: clear)
        group.post("conversations/{conversationId}/unread", use: markUnread)
    }

    @Sendable private func patch(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let fields = try PatchViewFields(try await request.fields())
        let change = ChangeView(
            person: context.callerID,
            mutedUntil: fields.mutedUntil,
            notificationLevel: fields.notificationLevel,
            archived: fields.archived,
            pinned: fields.pinned,
            now: commands.clock.moment()
        )
        let handled = try await commands.handle(.changeView(change), on: id, by: context.callerID) { _ in }
        return try await answer(id, for: context.callerID, after: handled.token)
    }

    @Sendable private func clear(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let change = ChangeView(person: context.callerID, clears: true, now: commands.clock.moment())
        let handled = try await commands.handle(.changeView(change), on: id, by: context.callerID) { _ in }
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
        return JSONBody.response(seen.me, headers: [.parleyPosition: token.text])
    }
}
