import NIOCore
import NIOPosix

/// A TCP connection on which a test says what it likes.
final class RawConnection {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    static func with<Value: Sendable>(
        port: Int?,
        _ body: @Sendable (RawConnection) async throws -> Value
    ) async throws -> Value {
        guard let port else { throw NotLive() }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(RawConnection(inbound: inbound, outbound: outbound))
        }
    }

    struct NotLive: Error {}

    func say(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    func say(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Says that no more comes, and still listens.
    func finish() {
        outbound.finish()
    }

    /// Everything that comes until the server closes the connection.
    func readAll() async -> String {
        await read { _ in false }
    }

    /// What comes until a text is in it, or the server closes the connection.
    func read(until text: String) async -> String {
        await read { $0.contains(text) }
    }

    private func read(until isEnough: (String) -> Bool) async -> String {
        var received = ByteBuffer()
        do {
            while let buffer = try await inbound.next(isolation: #isolation) {
                received.writeImmutableBuffer(buffer)
                if isEnough(String(buffer: received)) { break }
            }
        } catch {
            // A reset closes the connection too.
        }
        return String(buffer: received)
    }
}
