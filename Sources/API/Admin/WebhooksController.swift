import Edge
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire
import Reactors

/// The webhooks: who is told what happens.
struct WebhooksController {
    let webhooks: Webhooks
    let clock: CommandClock

    func addRoutes(to admin: Routes<OperatorContext>) {
        admin.get("webhooks", use: list)
        admin.post("webhooks", use: create)
        admin.get("webhooks/{webhookId}", use: find)
        admin.patch("webhooks/{webhookId}", use: change)
        admin.delete("webhooks/{webhookId}", use: remove)
        admin.post("webhooks/{webhookId}/secret", use: rotate)
    }

    /// Writes an act down in the transaction that does it.
    private func audit(_ action: String, _ id: UUID, _ context: OperatorContext) -> Webhooks.Beside {
        { connection in
            let target = WireID(id).description
            try await AuditLog.record(action, of: target, by: context.caller.name, on: connection)
        }
    }

    @Sendable private func list(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let items = try await webhooks.list().map { ListedWebhook($0) }
        return JSONBody.response(ListPage(items: items, nextCursor: nil))
    }

    @Sendable private func find(_ request: Request, _ context: OperatorContext) async throws -> Response {
        guard let webhook = try await webhooks.find(try context.id("webhookId")) else { throw HTTPProblem.notFound }
        return JSONBody.response(ListedWebhook(webhook))
    }

    @Sendable private func create(_ request: Request, _ context: OperatorContext) async throws -> Response {
        var fields = try await request.fields()
        let url = fields.webhookURL(required: true)
        let events = fields.webhookEvents()
        let conversations = fields.webhookConversations()
        guard let url, fields.areValid else { throw fields.problem }
        let webhook = Webhook(
            id: UUID(),
            target: WebhookTarget(url: url),
            events: events ?? [],
            conversations: conversations,
            createdAt: clock.moment(),
            createdBy: context.caller.name
        )
        let isFirst = try await webhooks.list().isEmpty
        guard try await webhooks.add(webhook, beside: audit("webhook.create", webhook.id, context)) else {
            throw HTTPProblem.invalid(pointer: "", .tooMany, "At most \(Webhooks.limit) webhooks are allowed.")
        }
        // What happens after the answer is told, whichever server it comes to.
        if isFirst { try await Task.sleep(for: WebhookInterest.wait) }
        return JSONBody.response(
            ListedWebhook(webhook, secret: webhook.target.secrets.first?.exposed),
            status: .created
        )
    }

    @Sendable private func change(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let id = try context.id("webhookId")
        var fields = try await request.fields()
        let url = fields.webhookURL(required: false)
        let events = fields.webhookEvents()
        let conversations = fields.webhookConversations()
        let concernsAll = fields.isNull("conversations")
        let isEnabled = fields.bool("enabled")
        guard fields.areValid else { throw fields.problem }
        let now = clock.moment()
        let changed = try await webhooks.update(id, beside: audit("webhook.update", id, context)) { webhook in
            if let url { webhook.target.url = url }
            if let events { webhook.events = events }
            if let conversations {
                webhook.conversations = conversations
            } else if concernsAll {
                webhook.conversations = nil
            }
            guard let isEnabled, isEnabled != (webhook.disabledAt == nil) else { return }
            webhook.disabledAt = isEnabled ? nil : now
            webhook.disabledReason = isEnabled ? nil : .operator
        }
        guard let changed else { throw HTTPProblem.notFound }
        return JSONBody.response(ListedWebhook(changed))
    }

    @Sendable private func remove(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let id = try context.id("webhookId")
        guard try await webhooks.remove(id, beside: audit("webhook.delete", id, context)) else {
            throw HTTPProblem.notFound
        }
        return Response(status: .noContent)
    }

    /// The longest time for which an old secret signs beside a new one: a week.
    private static let longestOverlap: Int64 = 7 * 86_400
    private static let usualOverlap: Int64 = 86_400

    @Sendable private func rotate(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let id = try context.id("webhookId")
        var fields = try await request.optionalFields()
        let overlap = fields.integer("oldForSeconds", 0...Self.longestOverlap)
        guard fields.areValid else { throw fields.problem }
        let now = clock.moment()
        let changed = try await webhooks.update(id, beside: audit("webhook.secret", id, context)) { webhook in
            webhook.target.rotate(at: now, keepingOldFor: TimeInterval(overlap ?? Self.usualOverlap))
        }
        guard let changed else { throw HTTPProblem.notFound }
        return JSONBody.response(ListedWebhook(changed, secret: changed.target.secrets.first?.exposed))
    }
}
