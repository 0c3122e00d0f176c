import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import ParleyWire
import ReadModels

/// What becomes of a message after it was sent: editing, deleting, reacting.
struct MessageChangesController {
    let actions: MessageActions
    let messages: VisibleMessages
    let queries: Queries
    let clock: CommandClock
    let limits: ServerLimits

    private static let message = "conversations/{conversationId}/messages/{messageId}"

    func addRoutes(to group: Routes<CallerContext>) {
        group.patch("\(Self.message)", use: edit)
        group.delete("\(Self.message)", use: delete)
        group.read("\(Self.message)/history", use: history)
        group.put("\(Self.message)/reactions/{emoji}", use: react)
        group.delete("\(Self.message)/reactions/{emoji}", use: takeBack)
    }

    @Sendable private func edit(_ request: Request, _ context: CallerContext) async throws -> Response {
        let text = try MessageText(try await request.fields(), limits: limits).text
        let now = clock.moment()
        return try await actions.change(context, needsText: true) { facts, caller in
            .editMessage(
                EditMessage(
                    message: facts,
                    editor: caller,
                    text: text,
                    now: now,
                    window: TimeInterval(limits.editWindowSeconds)
                )
            )
        }
    }

    private enum Scope: String, CaseIterable {
        case everyone
        case me
    }

    @Sendable private func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        switch try Query(request.uri.query).choice("for", of: Scope.self) ?? .everyone {
        case .everyone:
            return try await actions.takeBack(context) { .deleteMessage(DeleteMessage(message: $0, actor: $1)) }
        case .me:
            return try await hide(try context.id("messageId"), in: try context.id("conversationId"), context)
        }
    }

    /// Once for each member and message, as the read models know; where two devices do it at once, the first counts.
    private func hide(_ id: UUID, in conversation: UUID, _ context: CallerContext) async throws -> Response {
        let message = try await messages.message(id, in: conversation, seenBy: context.callerID)
        guard let seq = message.seq else { throw HTTPProblem.notFound }
        guard message.deletedAt == nil else {
            let token = try await messages.conversation(conversation, readBy: context.callerID)
            return Response(status: .noContent, headers: [.parleyPosition: token.text])
        }
        let hide = HideMessage(person: context.callerID, messageID: id, seq: seq)
        let handled = try await messages.commands.handle(.hideMessage(hide), on: conversation, by: context.callerID) {
            _ in
        }
        return Response(status: .noContent, headers: [.parleyPosition: handled.token.text])
    }

    @Sendable private func react(_ request: Request, _ context: CallerContext) async throws -> Response {
        let emoji = try context.emoji()
        return try await actions.change(context, emoji) { facts, caller in
            .react(React(message: facts, person: caller, emoji: emoji, isAdded: true))
        }
    }

    @Sendable private func takeBack(_ request: Request, _ context: CallerContext) async throws -> Response {
        let emoji = try context.emoji()
        return try await actions.takeBack(context, emoji) {
            .react(React(message: $0, person: $1, emoji: emoji, isAdded: false))
        }
    }

    @Sendable private func history(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await queries.versions(
            of: try context.id("messageId"),
            in: try context.id("conversationId"),
            for: context.callerID,
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        guard let page else { throw HTTPProblem.notFound }
        let texts = page.items.reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
        return Representation(encoding: page, weighing: texts + 60 * page.items.count)
    }
}

extension CallerContext {
    /// The reaction that the path names.
    fileprivate func emoji() throws(HTTPProblem) -> Emoji {
        guard let emoji = text("emoji").flatMap({ Emoji($0) }) else {
            throw .invalid(parameter: "emoji", .invalid, "One emoji is expected, percent-encoded.")
        }
        return emoji
    }
}
