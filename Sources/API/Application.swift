package import Edge
package import Hummingbird
package import Logging
package import NIOCore

/// The whole server; `run()` serves until a graceful shutdown.
package func buildApplication(
    _ dependencies: APIDependencies,
    host: String = "127.0.0.1",
    port: Int = 8080,
    limits: EdgeLimits = EdgeLimits(),
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
    logger: Logger
) -> some ApplicationProtocol {
    buildServer(
        buildResponder(dependencies),
        host: host,
        port: port,
        limits: limits,
        onServerRunning: onServerRunning,
        logger: logger
    )
}
