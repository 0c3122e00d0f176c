import NIOCore
import NIOPosix

/// The one thread that all load comes from.
///
/// It shares the cores with what it measures, so there is one event loop, no task and no lock per request: a second
/// thread would take from the server what it gave to the load.
struct Generator: Sendable {
    private let group: MultiThreadedEventLoopGroup
    let eventLoop: any EventLoop

    static func with<Value>(_ body: (Generator) async throws -> Value) async throws -> Value {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let generator = Generator(group: group, eventLoop: group.next())
        return try await withEnding {
            try await body(generator)
        } ending: {
            try? await group.shutdownGracefully()
        }
    }

    /// Opens connections, lends them, and closes them.
    func withConnections<Value>(
        _ count: Int,
        to address: ServerAddress,
        _ body: (Connections) async throws -> Value
    ) async throws -> Value {
        let connections = try await open(count, to: address)
        return try await withEnding {
            try await body(connections)
        } ending: {
            await connections.close()
        }
    }

    /// How many connections are being made at once: fewer than a listener lets wait.
    private static let openingAtOnce = 128

    private func open(_ count: Int, to address: ServerAddress) async throws -> Connections {
        var open: [NIOLoopBound<Exchange>] = []
        var channels: [any Channel] = []
        while open.count < count {
            try Task.checkCancellation()
            let attempts = (0..<min(Self.openingAtOnce, count - open.count)).map { _ in connect(to: address) }
            for (channel, exchange) in try await EventLoopFuture.whenAllSucceed(attempts, on: eventLoop).get() {
                channels.append(channel)
                open.append(exchange)
            }
        }
        return Connections(eventLoop: eventLoop, channels: channels, exchanges: open)
    }

    private func connect(to address: ServerAddress) -> EventLoopFuture<(any Channel, NIOLoopBound<Exchange>)> {
        ClientBootstrap(group: eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Answers are small: a second read only to learn that there is no more would be wasted.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Exchange())
                }
            }
            .connect(host: address.host, port: address.port)
            .flatMapThrowing { channel in
                let exchange = try channel.pipeline.syncOperations.handler(type: Exchange.self)
                return (channel, NIOLoopBound(exchange, eventLoop: channel.eventLoop))
            }
    }
}
