package import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle

/// The HTTP server; `run()` serves until a graceful shutdown.
package func buildApplication(
    _ dependencies: APIDependencies,
    host: String = "127.0.0.1",
    port: Int = 8080,
    limits: EdgeLimits = EdgeLimits(),
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
    logger: Logger
) -> some ApplicationProtocol {
    let counts = ConnectionCounts(limits: limits, trustedProxies: dependencies.edge.trustedProxies)
    let responder = buildResponder(dependencies)
    return Application(
        responder: responder,
        // Hummingbird's way to the responder is through its asynchronous channel (decision 0019); tests without a socket take it.
        server: HTTPServerBuilder { _ in HTTPConnections(responder: responder, limits: limits, counts: counts) },
        configuration: ApplicationConfiguration(
            address: .hostname(host, port: port),
            backlog: 1_024
        ),
        onServerRunning: onServerRunning,
        logger: logger
    )
}
