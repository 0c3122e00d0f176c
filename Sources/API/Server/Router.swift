import EventStore
package import Hummingbird
import ParleyWire
import ReadModels

/// All routes of the server behind one edge.
package func buildRouter(_ dependencies: APIDependencies) -> Router<EdgeContext> {
    // The edge comes before the routes and tells which methods a path has, so the routes are laid out once before.
    let plan = Router(context: EdgeContext.self)
    addRoutes(to: plan, dependencies, RouteClasses([]))
    let routes = plan.routes.map { ($0.path, $0.method) }
    let router = Router(context: EdgeContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: Edge(methods: MethodTable(routes), rules: dependencies.edge))
    addRoutes(to: router, dependencies, RouteClasses(routes))
    return router
}

private func addRoutes(to router: Router<EdgeContext>, _ dependencies: APIDependencies, _ classes: RouteClasses) {
    let identity = dependencies.identity
    let edge = dependencies.edge
    let gate = RateGate(limiter: edge.limiter, trustedProxies: edge.trustedProxies)
    let limiting = RateLimiting(gate: gate, classes: classes)
    let profiles = Profiles(eventStore: dependencies.eventStore)
    let visibility = Visibility(checkpoints: dependencies.checkpoints, identity: dependencies.eventStore.identity)
    let auth = AuthController(identity: identity, profiles: profiles, gate: gate)

    OperationController(readiness: dependencies.readiness, metrics: dependencies.metrics, gate: gate)
        .addRoutes(to: router.group().add(middleware: limiting))
    let password = PasswordController(identity: identity, gate: gate)
    let email = EmailController(identity: identity)
    let open = router.group("v1").add(middleware: limiting)
    auth.addRoutes(to: open)
    password.addRoutes(to: open)
    email.addRoutes(to: open)

    let group = router.group("v1")
        .add(middleware: Authentication(identity: identity))
        .add(middleware: limiting)
        .add(middleware: WaitForPosition(visibility: visibility))
        .group(context: CallerContext.self)
    auth.addPrivateRoutes(to: group)
    SessionsController(identity: identity, limits: dependencies.server.limits).addRoutes(to: group)
    password.addPrivateRoutes(to: group)
    email.addPrivateRoutes(to: group)
    ServerController(info: dependencies.server).addRoutes(to: group)
    RateLimitsController(limiter: edge.limiter).addRoutes(to: group)
    let privacy = ReadPrivacy(profiles: profiles)
    MeController(
        identity: identity,
        eventStore: dependencies.eventStore,
        profiles: profiles,
        privacy: privacy,
        eraser: dependencies.eraser,
        clock: dependencies.clock
    ).addRoutes(to: group)
    ExportController(identity: identity, profiles: profiles, queries: dependencies.queries).addRoutes(to: group)
    UsersController(
        identity: identity,
        queries: dependencies.queries,
        limits: dependencies.server.limits
    ).addRoutes(to: group)
    addConversationRoutes(to: group, dependencies, visibility, privacy)
    dependencies.privateRoutes(group)
}

private func addConversationRoutes(
    to group: RouterGroup<CallerContext>,
    _ dependencies: APIDependencies,
    _ visibility: Visibility,
    _ privacy: ReadPrivacy
) {
    let limits = dependencies.server.limits
    let queries = dependencies.queries
    let commands = ConversationCommands(eventStore: dependencies.eventStore, clock: dependencies.clock)
    let answers = ConversationAnswers(visibility: visibility, queries: queries, limits: limits)
    ConversationsController(commands: commands, queries: queries, answers: answers, limits: limits)
        .addRoutes(to: group)
    ParticipantsController(
        commands: commands,
        queries: queries,
        visibility: visibility,
        answers: answers,
        limits: limits
    ).addRoutes(to: group)
    MessagesController(commands: commands, queries: queries, visibility: visibility, limits: limits)
        .addRoutes(to: group)
    ReceiptsController(
        commands: commands,
        unread: UnreadInLog(eventStore: dependencies.eventStore),
        privacy: privacy,
        limits: limits
    ).addRoutes(to: group)
}
