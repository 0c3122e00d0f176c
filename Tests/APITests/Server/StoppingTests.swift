import API
import Hummingbird
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// A server that is stopped while clients come.
@Suite(.database, .timeLimit(.minutes(10))) struct StoppingTests {
    @Test func `connections that nobody has taken yet do not end the process`() async throws {
        try await TestServer.with { server in
            for _ in 0..<5 {
                let (ports, port) = AsyncStream.makeStream(of: Int.self)
                let application = buildApplication(
                    server.dependencies,
                    port: 0,
                    onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
                    logger: SecretWatch.logger
                )
                let running = Task { try await application.run() }
                let address = try #require(await ports.first { _ in true })
                let clients = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                let connecting = (0..<64).map { _ in clients.connect(host: "127.0.0.1", port: address) }
                _ = try await connecting[0].get()
                running.cancel()
                _ = await running.result
                for future in connecting { try? await future.get().close() }
            }
        }
    }
}
