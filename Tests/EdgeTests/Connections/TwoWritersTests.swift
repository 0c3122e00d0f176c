import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import Edge

/// Several tasks that write on one connection.
@Suite(.timeLimit(.minutes(10))) struct TwoWritersTests {
    /// Far more than the buffers of both sides take.
    private static let filling = 1 << 20
    private static let pieceSize = 16 * 1_024
    private static let pieces: UInt8 = 8

    @Test func `two that wait for a client who does not read are both heard, each in its order`() async throws {
        try await Self.with { connection, client, everything in
            let size = Self.filling + 2 * Int(Self.pieces) * Self.pieceSize
            try await connection.write(HTTPResponse(status: .ok, headerFields: [.contentLength: "\(size)"]))
            try await connection.write(ByteBuffer(repeating: 0xff, count: Self.filling))
            let writes = Writes()
            let loop = connection.channel.eventLoop
            // On the loop's thread, so that each has come to its waiting before anything else happens there.
            let executor = EventLoopExecutor(loop)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer: UInt8 in [0, 1] {
                    group.addTask(executorPreference: executor) {
                        for piece in 0..<Self.pieces {
                            writes.begun.add(1, ordering: .relaxed)
                            try await connection.write(
                                ByteBuffer(repeating: 16 * writer + piece, count: Self.pieceSize)
                            )
                            writes.done.add(1, ordering: .relaxed)
                        }
                    }
                }
                let counts = try await loop.submit {
                    [writes.begun.load(ordering: .relaxed), writes.done.load(ordering: .relaxed)]
                }.get()
                #expect(counts == [2, 0])
                try await client.setOption(.autoRead, value: true).get()
                try await group.waitForAll()
            }
            connection.finish()
            let received = Array(try await everything.get().readableBytesView)
            let head = try #require(received.firstRange(of: Array("\r\n\r\n".utf8)))
            let body = received[head.upperBound...]
            try #require(body.count == size)
            let pieces = stride(from: body.startIndex + Self.filling, to: body.endIndex, by: Self.pieceSize).map {
                body[$0..<$0 + Self.pieceSize]
            }
            #expect(pieces.allSatisfy { piece in piece.allSatisfy { $0 == piece.first } })
            let order = pieces.compactMap(\.first)
            #expect(Array(order.prefix(2)) == [0, 16])
            #expect(order.filter { $0 < 16 } == Array(0..<Self.pieces))
            #expect(order.filter { $0 >= 16 } == Array(16..<16 + Self.pieces))
        }
    }

    private final class Writes: Sendable {
        let begun = Atomic(0)
        let done = Atomic(0)
    }

    /// A connection that has taken a request from a client who does not read yet, and what the client hears in the end.
    private static func with(
        _ body: (HTTPConnection, _ client: any Channel, _ everything: EventLoopFuture<ByteBuffer>) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let accepted = group.any().makePromise(of: HTTPConnection.self)
        let server = try await ServerBootstrap(group: group)
            .childChannelOption(.socketOption(.so_sndbuf), value: 16_384)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let limits = EdgeLimits()
                    let bodies = CallerBudget(limit: limits.bodyMemory)
                    let connection = HTTPConnection(channel, isLate: false, bodies: bodies, limits: limits)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(
                        withPipeliningAssistance: false,
                        withErrorHandling: false
                    )
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(connection)
                    accepted.succeed(connection)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        defer { server.close(promise: nil) }
        let everything = group.any().makePromise(of: ByteBuffer.self)
        let client = try await ClientBootstrap(group: group)
            .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Listener(everything))
                }
            }
            .connect(host: "127.0.0.1", port: try #require(server.localAddress?.port))
            .get()
        defer { client.close(promise: nil) }
        try await client.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).get()
        let connection = try await accepted.futureResult.get()
        _ = try #require(try await connection.next())
        try await body(connection, client, everything.futureResult)
    }
}

/// Hears everything until the server closes the connection.
private final class Listener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let everything: EventLoopPromise<ByteBuffer>
    private var received = ByteBuffer()

    init(_ everything: EventLoopPromise<ByteBuffer>) {
        self.everything = everything
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        everything.succeed(received)
    }
}
