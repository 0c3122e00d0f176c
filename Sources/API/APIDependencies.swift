package import Attachments
package import Edge
package import EventStore
package import Foundation
package import Identity
package import Live
package import Messaging
package import OpenID
package import ParleyWire
package import Reactors
package import ReadModels

/// What the API stands on, built by the executable.
package struct APIDependencies: Sendable {
    package let identity: Identity
    package let eventStore: EventStore
    package let queries: Queries
    package let attachments: Attachments
    package let devices: Devices
    /// nil where nothing is sent to webhooks.
    package let webhookSender: WebhookSender?
    /// Who does something is not told of messages at once on other devices.
    package let activity: PushActivity
    package let checkpoints: Checkpoints
    package let eraser: Eraser
    package let scheduled: ScheduledSender
    package let expirer: Expirer
    /// Wakes whoever sends what was scheduled.
    package let alarm = Alarm()
    /// Also carries the limits that requests are checked against.
    package let server: ServerInfo
    package let readiness: Readiness
    /// All metrics, as Prometheus reads them.
    package let metrics: @Sendable () -> String
    /// Whether a listener of its own exposes the metrics: then no client can ask for them.
    package let hasOperationPort: Bool
    package let clock: CommandClock
    /// How long a query waits for the read models.
    package let visibilityTimeout: Duration
    package let edge: EdgeRules
    /// Whose word on who somebody is counts beside passwords.
    package let issuers: OpenIDIssuers
    /// Publishes a view that has changed beside the log to the devices of its person that are connected to this process.
    package let publishView: @Sendable (_ person: UUID, _ conversation: UUID) -> Void
    /// Publishes to the other members that are connected, wherever that is, that somebody is typing or has stopped.
    package let publishTyping: @Sendable (_ isTyping: Bool, _ person: UUID, _ conversation: UUID, Members) -> Void
    /// Hints to other processes that a view has changed beside the log.
    package let hintView: @Sendable (_ person: UUID, _ conversation: UUID) -> Void
    /// Who is there; nil where no streams are served.
    package let presences: Presences?
    /// Adds routes for signed-in callers that are built elsewhere, such as streaming.
    package let privateRoutes: @Sendable (Routes<CallerContext>) -> Void
    /// Routes beside those of the API: the web client's.
    package let website: [Route]

    /// A projector lags by milliseconds; one that lags by more is in trouble, and waiting does not help.
    package static let standardVisibilityTimeout: Duration = .seconds(2)

    package init(
        identity: Identity,
        eventStore: EventStore,
        queries: Queries,
        attachments: Attachments,
        devices: Devices,
        activity: PushActivity? = nil,
        webhookSender: WebhookSender? = nil,
        checkpoints: Checkpoints,
        server: ServerInfo,
        readiness: Readiness,
        metrics: @escaping @Sendable () -> String,
        hasOperationPort: Bool = false,
        clock: CommandClock = CommandClock(),
        visibilityTimeout: Duration = standardVisibilityTimeout,
        edge: EdgeRules = EdgeRules(),
        issuers: OpenIDIssuers = .none,
        publishView: @escaping @Sendable (_ person: UUID, _ conversation: UUID) -> Void = { _, _ in },
        publishTyping: @escaping @Sendable (Bool, UUID, UUID, Members) -> Void = { _, _, _, _ in },
        hintView: @escaping @Sendable (UUID, UUID) -> Void = { _, _ in },
        presences: Presences? = nil,
        privateRoutes: @escaping @Sendable (Routes<CallerContext>) -> Void = { _ in },
        website: [Route] = []
    ) {
        self.identity = identity
        self.eventStore = eventStore
        self.queries = queries
        self.attachments = attachments
        self.devices = devices
        self.webhookSender = webhookSender
        self.activity = activity ?? PushActivity(pool: eventStore.pool)
        self.checkpoints = checkpoints
        eraser = Eraser(
            identity: identity,
            eventStore: eventStore,
            checkpoints: checkpoints,
            attachments: attachments
        )
        scheduled = ScheduledSender(
            eventStore: eventStore,
            identity: identity,
            clock: clock,
            attachments: attachments
        )
        expirer = Expirer(eventStore: eventStore, checkpoints: checkpoints, clock: clock)
        self.server = server
        self.readiness = readiness
        self.metrics = metrics
        self.hasOperationPort = hasOperationPort
        self.clock = clock
        self.visibilityTimeout = visibilityTimeout
        self.edge = edge
        self.issuers = issuers
        self.publishView = publishView
        self.publishTyping = publishTyping
        self.hintView = hintView
        self.presences = presences
        self.privateRoutes = privateRoutes
        self.website = website
    }
}
