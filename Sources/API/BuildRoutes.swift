import Attachments
package import Edge
import EventStore
import Hummingbird
import Identity
import Live
import ParleyWire
import Reactors
import ReadModels

/// All routes of the server and of its website, behind one edge.
package func buildResponder(_ dependencies: APIDependencies) -> EdgeResponder {
    responder(dependencies, RouteTable(buildRoutes(dependencies).routes + dependencies.website))
}

/// What those who run the server look at, and do, alone.
func buildOperationResponder(_ dependencies: APIDependencies) -> EdgeResponder {
    let operation = Routes<EdgeContext>(at: "", classOf: RouteClasses.routeClass) { .open($0) }
    let controller = OperationController(dependencies)
    controller.addHealth(to: operation)
    controller.addMetrics(to: operation)
    return responder(dependencies, RouteTable(operation.all + buildAdminRoutes(dependencies)))
}

private func responder(_ dependencies: APIDependencies, _ routes: RouteTable) -> EdgeResponder {
    let visibility = dependencies.visibility
    return EdgeResponder(
        routes: routes,
        admission: Admission(
            identity: dependencies.identity,
            gate: dependencies.gate,
            cookies: SessionCookies(dependencies.edge),
            waitForPosition: { try await visibility.wait(for: $0) },
            noteActivity: { [presences = dependencies.presences, activity = dependencies.activity] caller in
                presences?.isActive(caller.sessionID, of: caller.userID)
                activity.note(caller.userID)
            },
            readLink: {
                [signer = dependencies.attachments.signer, identity = dependencies.identity] path, query, beforeQuery in
                try await signer.caller(path, query, identity, beforeQuery: beforeQuery)
            },
            makeLinks: { [signer = dependencies.attachments.signer] in signer.links(for: $0.sessionID) }
        ),
        rules: dependencies.edge,
        errors: ErrorMapping(problem: { HTTPProblem($0) }, metadata: ErrorMetadata.describing)
    )
}

/// Every route of the API.
package func buildRoutes(_ dependencies: APIDependencies) -> RouteTable {
    let operation = Routes<EdgeContext>(at: "", classOf: RouteClasses.routeClass) { .open($0) }
    let open = Routes<EdgeContext>(at: "/v1", classOf: RouteClasses.routeClass) { .open($0) }
    let group = Routes<CallerContext>(at: "/v1", classOf: RouteClasses.routeClass) { .signedIn($0) }
    let identity = dependencies.identity
    let gate = dependencies.gate
    let profiles = Profiles(eventStore: dependencies.eventStore)

    OperationController(dependencies).addRoutes(to: operation)
    let answers = SessionAnswers(identity: identity, profiles: profiles, cookies: SessionCookies(dependencies.edge))
    let auth = AuthController(identity: identity, answers: answers, gate: gate)
    let password = PasswordController(identity: identity, gate: gate)
    let email = EmailController(identity: identity)
    auth.addRoutes(to: open)
    OpenIDController(issuers: dependencies.issuers, identity: identity, answers: answers).addRoutes(to: open)
    BrowserSignInController(issuers: dependencies.issuers, identity: identity, cookies: answers.cookies)
        .addRoutes(to: open)
    password.addRoutes(to: open)
    email.addRoutes(to: open)

    auth.addPrivateRoutes(to: group)
    SessionsController(identity: identity, limits: dependencies.server.limits).addRoutes(to: group)
    DevicesController(devices: dependencies.devices).addRoutes(to: group)
    password.addPrivateRoutes(to: group)
    email.addPrivateRoutes(to: group)
    ServerController(info: dependencies.server).addRoutes(to: group)
    RateLimitsController(limiter: dependencies.edge.limiter).addRoutes(to: group)
    let privacy = ReadPrivacy(profiles: profiles)
    let presence = PresenceReader(
        queries: dependencies.queries,
        presences: dependencies.presences,
        log: dependencies.eventStore.log,
        checkpoints: dependencies.checkpoints
    )
    MeController(
        identity: identity,
        eventStore: dependencies.eventStore,
        profiles: profiles,
        queries: dependencies.queries,
        presence: presence,
        privacy: privacy,
        eraser: dependencies.eraser,
        pictures: Pictures(attachments: dependencies.attachments),
        clock: dependencies.clock
    ).addRoutes(to: group)
    PresenceController(
        reader: presence,
        presences: dependencies.presences,
        rows: PresenceRows(pool: dependencies.eventStore.pool)
    ).addRoutes(to: group)
    ExportController(
        identity: identity,
        profiles: profiles,
        queries: dependencies.queries,
        scheduled: dependencies.scheduled.schedule
    ).addRoutes(to: group)
    UsersController(
        identity: identity,
        queries: dependencies.queries,
        presence: presence,
        limits: dependencies.server.limits
    ).addRoutes(to: group)
    addConversationRoutes(to: group, dependencies, dependencies.visibility, privacy)
    let linked = Routes<CallerContext>(at: "/v1", classOf: RouteClasses.routeClass) { .linked($0) }
    addAttachmentRoutes(to: group, linked, dependencies, profiles)
    dependencies.privateRoutes(group)
    return RouteTable(operation.all + open.all + group.all + linked.all)
}

private func addAttachmentRoutes(
    to group: Routes<CallerContext>,
    _ linked: Routes<CallerContext>,
    _ dependencies: APIDependencies,
    _ profiles: Profiles
) {
    let commands = dependencies.conversationCommands
    let controller = AttachmentsController(
        attachments: dependencies.attachments,
        access: AttachmentAccess(
            attachments: dependencies.attachments,
            messages: VisibleMessages(
                commands: commands,
                queries: dependencies.queries,
                visibility: dependencies.visibility
            ),
            profiles: profiles
        ),
        commands: commands,
        isSharedAcrossOrigins: dependencies.edge.crossOrigin != nil
    )
    controller.addRoutes(to: group)
    controller.addLinkedRoutes(to: linked)
}

extension OperationController {
    fileprivate init(_ dependencies: APIDependencies) {
        self.init(
            readiness: dependencies.readiness,
            metrics: dependencies.metrics,
            exposesMetrics: !dependencies.hasOperationPort,
            gate: dependencies.gate
        )
    }
}

extension APIDependencies {
    fileprivate var gate: RateGate { RateGate(limiter: edge.limiter, trustedProxies: edge.trustedProxies) }

    fileprivate var conversationCommands: ConversationCommands {
        ConversationCommands(eventStore: eventStore, identity: identity, clock: clock)
    }

    fileprivate var visibility: Visibility {
        Visibility(checkpoints: checkpoints, eventStore: eventStore, timeout: visibilityTimeout)
    }
}

private func addConversationRoutes(
    to group: Routes<CallerContext>,
    _ dependencies: APIDependencies,
    _ visibility: Visibility,
    _ privacy: ReadPrivacy
) {
    let limits = dependencies.server.limits
    let queries = dependencies.queries
    let commands = dependencies.conversationCommands
    let files = AttachedFiles(attachments: dependencies.attachments, commands: commands)
    let answers = ConversationAnswers(visibility: visibility, queries: queries, limits: limits)
    ConversationsController(
        commands: commands,
        queries: queries,
        answers: answers,
        limits: limits,
        pictures: Pictures(attachments: dependencies.attachments)
    ).addRoutes(to: group)
    ParticipantsController(
        commands: commands,
        queries: queries,
        visibility: visibility,
        answers: answers,
        limits: limits
    ).addRoutes(to: group)
    InvitesController(commands: commands, queries: queries, answers: answers, limits: limits).addRoutes(to: group)
    ViewsController(
        commands: commands,
        queries: queries,
        visibility: visibility,
        drafts: Drafts(pool: dependencies.eventStore.pool, keyring: dependencies.eventStore.keyring),
        limits: limits,
        publishView: dependencies.publishView,
        hint: dependencies.hintView
    ).addRoutes(to: group)
    TypingController(commands: commands, publish: dependencies.publishTyping).addRoutes(to: group)
    MessagesController(
        commands: commands,
        queries: queries,
        visibility: visibility,
        limits: limits,
        gate: dependencies.gate,
        files: files
    ).addRoutes(to: group)
    let visible = VisibleMessages(commands: commands, queries: queries, visibility: visibility)
    let actions = MessageActions(
        commands: MessageCommands(commands: commands),
        queries: queries,
        visibility: visibility
    )
    MessageChangesController(
        actions: actions,
        messages: visible,
        queries: queries,
        clock: commands.clock,
        limits: limits
    ).addRoutes(to: group)
    PinsController(actions: actions, queries: queries, limits: limits).addRoutes(to: group)
    ForwardsController(
        commands: commands,
        queries: queries,
        visibility: visibility,
        messages: visible,
        gate: dependencies.gate,
        files: files
    ).addRoutes(to: group)
    let scheduled = ScheduledMessages(dependencies.eventStore, answerBytes: queries.answerBytes)
    ScheduledController(
        schedule: Scheduling(
            commands: commands,
            messages: scheduled,
            alarm: dependencies.alarm,
            limits: limits,
            files: files
        ),
        messages: scheduled,
        limits: limits
    ).addRoutes(to: group)
    StarsController(
        messages: visible,
        queries: queries,
        stars: Stars(pool: dependencies.eventStore.pool),
        limits: limits
    ).addRoutes(to: group)
    SearchController(queries: queries, limits: limits).addRoutes(to: group)
    ReportsController(
        commands: commands,
        messages: visible,
        reports: Reports(pool: dependencies.eventStore.pool, keyring: dependencies.eventStore.keyring)
    ).addRoutes(to: group)
    BlocksController(commands: commands, queries: queries, visibility: visibility, limits: limits)
        .addRoutes(to: group)
    ReceiptsController(
        presences: dependencies.presences,
        activity: dependencies.activity,
        commands: commands,
        unread: UnreadInLog(eventStore: dependencies.eventStore),
        privacy: privacy,
        limits: limits
    ).addRoutes(to: group)
}
