import Hummingbird
import Identity

/// Counts each request by the class of its route, before its body is read.
struct RateLimiting: RouterMiddleware {
    typealias Context = EdgeContext

    let gate: RateGate
    let classes: RouteClasses

    @concurrent func handle(
        _ request: Request,
        context: EdgeContext,
        next: @concurrent (Request, EdgeContext) async throws -> Response
    ) async throws -> Response {
        if let path = context.endpointPath, let policy = classes.routeClass(of: request.method, at: path).policy {
            try await gate.pass(policy, for: subject(of: policy, request, context), noting: context.rates)
        }
        return try await next(request, context)
    }

    private func subject(of policy: RatePolicy, _ request: Request, _ context: EdgeContext) -> RateSubject {
        if policy.scope == .person, let caller = context.caller { return .person(caller.userID) }
        return .network(gate.network(of: request, context))
    }
}
