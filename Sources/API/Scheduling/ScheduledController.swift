import Edge
import Foundation
import HTTPTypes
import Hummingbird
import ParleyWire
import ReadModels

/// Messages that are to be sent later. Nobody else sees them.
struct ScheduledController {
    let schedule: Scheduling
    let messages: ScheduledMessages
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("scheduled/{messageId}", use: put)
        group.read("scheduled/{messageId}", use: get)
        group.delete("scheduled/{messageId}", use: withdraw)
        group.read("scheduled", use: list)
    }

    @Sendable private func put(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.newID("messageId")
        let fields = try ScheduleFields(try await request.fields(), limits: limits)
        let (message, isNew) = try await schedule.put(id, fields, by: context.callerID)
        return JSONBody.response(message, status: isNew ? .created : .ok)
    }

    @Sendable private func get(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let row = try await messages.find(try context.id("messageId"), of: context.callerID)
        guard let row, let message = ScheduledMessage(row) else { throw HTTPProblem.notFound }
        return Representation(encoding: message)
    }

    @Sendable private func withdraw(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await schedule.withdraw(try context.id("messageId"), of: context.callerID)
        return Response(status: .noContent)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await messages.list(
            of: context.callerID,
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        let items = page.items.compactMap(ScheduledMessage.init)
        let weight = items.reduce(0) { $0 + $1.weight }
        return Representation(encoding: ListPage(items: items, nextCursor: page.nextCursor), weighing: weight)
    }
}

extension ScheduledMessage {
    /// Nil where what it says is not to be read.
    init?(_ row: ScheduledSend) {
        guard let content = row.content else { return nil }
        self.init(
            id: WireID(row.id),
            conversationId: WireID(row.conversation),
            sendAt: row.sendAt,
            status: row.failure == nil ? .scheduled : .failed,
            text: content.text,
            replyToId: content.replyTo.map { WireID($0) },
            attachmentIds: content.attachments?.map { WireID($0) },
            mentions: [Mention](content.mentions, all: content.mentionsAll ?? false),
            clientTimestamp: content.clientTimestamp,
            failure: row.failure.map { Failure(code: $0.code, failedAt: $0.at) },
            createdAt: row.createdAt
        )
    }

    /// About how many bytes it is as JSON.
    fileprivate var weight: Int { 400 + text.utf8.count + 40 * mentions.count }
}
