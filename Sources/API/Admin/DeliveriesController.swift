import Edge
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire
import Reactors

/// What is sent to webhooks: the log of it, tests, and sending it again.
struct DeliveriesController {
    let webhooks: Webhooks
    let deliveries: WebhookDeliveries
    let replay: WebhookReplay
    /// nil where this server sends nothing.
    let sender: WebhookSender?
    let audit: AuditLog
    let limits: ServerLimits

    func addRoutes(to admin: Routes<OperatorContext>) {
        admin.get("webhooks/{webhookId}/deliveries", use: list)
        admin.post("webhooks/{webhookId}/test", use: test)
        admin.post("webhooks/{webhookId}/replay", use: again)
    }

    private func webhook(_ context: OperatorContext) async throws -> Webhook {
        guard let webhook = try await webhooks.find(try context.id("webhookId")) else { throw HTTPProblem.notFound }
        return webhook
    }

    @Sendable private func list(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let page = try NumberedPage(request, limits)
        let webhook = try await webhook(context)
        let found = try await deliveries.page(of: webhook.id, before: page.before, limit: page.reads)
        return page.response(found.map { ListedDelivery($0) }, number: \.number)
    }

    private struct Tested: Encodable {
        let messageId: String
        let accepted: Bool
        let status: Int?
        let reason: String?
        let milliseconds: Int
    }

    @Sendable private func test(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let webhook = try await webhook(context)
        guard let sender else { throw HTTPProblem(.unavailable, "This server sends nothing to webhooks.") }
        try await audit.record("webhook.test", of: WireID(webhook.id).description, by: context.caller.name)
        let (result, milliseconds, id) = await sender.test(webhook)
        return JSONBody.response(
            Tested(
                messageId: id,
                accepted: result.isAccepted,
                status: result.status,
                reason: result.reason,
                milliseconds: milliseconds
            )
        )
    }

    @Sendable private func again(_ request: Request, _ context: OperatorContext) async throws -> Response {
        var fields = try await request.fields()
        let since = fields.time("since")
        let partition = fields.integer("partition", 0...255)
        let position = fields.integer("position", 1...Int64.max, required: partition != nil)
        let conversations = fields.webhookConversations("conversations")
        if (since == nil) == (partition == nil), fields.areValid {
            fields.fail("since", .required, "Either since is expected, or partition and position.")
        }
        guard fields.areValid else { throw fields.problem }
        let webhook = try await webhook(context)
        try await audit.record("webhook.replay", of: WireID(webhook.id).description, by: context.caller.name)
        let start: WebhookReplay.Start
        if let partition, let position {
            start = .position(partition: Int(partition), position)
        } else if let since {
            start = .time(since)
        } else {
            throw fields.problem
        }
        let count = try await replay.begin(webhook.id, from: start, only: conversations)
        return JSONBody.response(["conversations": count], status: .accepted)
    }
}
