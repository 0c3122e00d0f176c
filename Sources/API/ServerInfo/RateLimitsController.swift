import Edge
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire

/// `GET /v1/rate-limits`: how the caller stands with what is counted by person in this process.
struct RateLimitsController {
    let limiter: RateLimiter

    func addRoutes(to group: Routes<CallerContext>) {
        group.get("rate-limits", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let items = limiter.standings(of: context.callerID, isBot: context.caller.botScopes != nil).map { standing in
            RateLimitStatus(
                policy: standing.policy.rawValue,
                quota: standing.limit.quota,
                windowSeconds: standing.limit.window.wholeSeconds,
                remaining: standing.remaining,
                resetSeconds: standing.untilFull.wholeSeconds
            )
        }
        return JSONBody.response(RateLimitsAnswer(items: items))
    }
}
