import Edge
import EventStore
import Identity
import ParleyWire
import Reactors
import ReadModels

/// Every route of the operators' API, `/admin/v1`, on a port that no client reaches. Each that changes something writes down
/// in the audit who did it, before it is done or in one transaction with it.
func buildAdminRoutes(_ dependencies: APIDependencies) -> [Route] {
    let admin = Routes<OperatorContext>(at: "/admin/v1", classOf: { _, _ in .operation }) { .operated($0) }
    let limits = dependencies.server.limits
    AuditController(audit: dependencies.identity.audit, limits: limits).addRoutes(to: admin)
    BotsController(identity: dependencies.identity, queries: dependencies.queries, limits: limits)
        .addRoutes(to: admin)
    let store = dependencies.eventStore
    ReportQueueController(
        reports: Reports(pool: store.pool, keyring: store.keyring),
        attachments: dependencies.attachments,
        limits: limits
    ).addRoutes(to: admin)
    let webhooks = Webhooks(pool: store.pool, keyring: store.keyring)
    WebhooksController(webhooks: webhooks, clock: dependencies.clock).addRoutes(to: admin)
    DeliveriesController(
        webhooks: webhooks,
        deliveries: WebhookDeliveries(pool: store.pool),
        replay: WebhookReplay(store: store),
        sender: dependencies.webhookSender,
        audit: dependencies.identity.audit,
        limits: limits
    ).addRoutes(to: admin)
    PushesController(timeline: PushTimeline(pool: store.pool)).addRoutes(to: admin)
    return admin.all
}
