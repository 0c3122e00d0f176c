package import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore

/// The HTTP server; `run()` serves until a graceful shutdown.
package func buildServer(
    _ responder: EdgeResponder,
    host: String,
    port: Int,
    limits: EdgeLimits,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void,
    logger: Logger
) -> some ApplicationProtocol {
    let counts = ConnectionCounts(limits: limits, trustedProxies: responder.rules.trustedProxies)
    let bodies = CallerBudget(limit: limits.bodyMemory, leastShare: BodyRule.fields.maxBytes)
    let refusals = ConnectionRefusals(responder: responder, logger: logger)
    return Application(
        responder: responder,
        // Hummingbird's way to the responder is through its asynchronous channel (decision 0019); tests without a socket take it.
        server: HTTPServerBuilder { _ in
            HTTPConnections(
                responder: responder,
                limits: limits,
                counts: counts,
                bodies: bodies,
                refusals: refusals
            )
        },
        configuration: ApplicationConfiguration(
            address: .hostname(host, port: port),
            backlog: 1_024
        ),
        onServerRunning: onServerRunning,
        logger: logger
    )
}
