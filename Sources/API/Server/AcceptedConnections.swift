import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// HTTP/1.1, with no connection lost between being accepted and being served.
struct AcceptedConnections: ServerChildChannel {
    /// What a connection reads into: nearly every request fits, and an idle stream keeps no more than this. It grows for
    /// those who send more.
    private static let receiving = AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 1_024, maximum: 65_536)

    let http: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.syncOptions?.setOption(.recvAllocator, value: Self.receiving)
        }.flatMap {
            http.setup(channel: channel, logger: logger).map { AcceptedConnection($0) }
        }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        let connection = value.take()
        await withTaskExecutorPreference(EventLoopExecutor(connection.channel.eventLoop)) {
            await http.handle(value: connection, logger: logger)
        }
    }
}

/// A connection on its way to whoever serves it.
///
/// A server that stops drops those that it has accepted and that nobody has taken yet, and NIO ends the process where a
/// connection goes that was never closed (apple/swift-nio#2813). So this one closes itself.
final class AcceptedConnection: ServerChildChannelValue {
    private let connection: HTTP1Channel.Value
    private let isTaken = Atomic(false)

    var channel: any Channel { connection.channel }

    init(_ connection: HTTP1Channel.Value) {
        self.connection = connection
    }

    func take() -> HTTP1Channel.Value {
        isTaken.store(true, ordering: .relaxed)
        return connection
    }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        // A task without a parent: there is nobody left who could have one, and it ends at once.
        Task { [connection] in try? await connection.executeThenClose { _, _ in } }
    }
}
