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

/// What those who run the server look at, on a port that no client reaches; `run()` serves until a graceful shutdown.
package func buildOperationApplication(
    _ dependencies: APIDependencies,
    host: String = "127.0.0.1",
    port: Int,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
    logger: Logger
) -> some ApplicationProtocol {
    var limits = EdgeLimits()
    // A few programs ask a few times a minute; clients may have taken all else there is.
    limits.maxConnections = 100
    limits.maxConnectionsPerAddress = nil
    limits.recordsConnections = false
    return buildServer(
        buildOperationResponder(dependencies),
        host: host,
        port: port,
        limits: limits,
        onServerRunning: onServerRunning,
        logger: logger
    )
}
