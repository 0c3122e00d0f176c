import Hummingbird
import Identity
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import Testing

@testable import Edge

/// Bodies of requests that wait for those before them.
@Suite(.timeLimit(.minutes(10))) struct PipelinedBodyTests {
    private static let caller = RateSubject.network(ClientNetwork(ipv4: 1))
    /// More than of each body is free, and than a caller's share is.
    private static let size = 30_000

    @Test func `take nothing from the budget before their turn, and then from their caller's share`() async throws {
        let budget = CallerBudget(limit: 100_000)
        try await Self.with(budget, until: Self.size) { client, accepted, arrived in
            try await client.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).get()
            let connection = try await accepted.get()
            _ = try #require(try await connection.next())

            // While the first one is answered.
            let body = String(repeating: " ", count: Self.size)
            let next = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n\(body)"
            try await client.writeAndFlush(ByteBuffer(string: next)).get()
            try await arrived.get()
            #expect(budget.isUnused)

            _ = try #require(try await connection.next())
            connection.expect(.fields, from: Self.caller)
            try await connection.channel.eventLoop.submit {}.get()
            #expect(!budget.isUnused)
            #expect(throws: CallerBudget.Refusal.caller) { try budget.take(1, for: Self.caller) }
        }
    }

    @Test func `come whole with the first request, though its client has closed its side before anybody takes it`()
        async throws
    {
        // More than is held of one whose turn has not come, and what is not read at first finds room in the sockets.
        let size = 100_000
        try await Self.with(CallerBudget(limit: 1 << 20), until: size) { client, accepted, arrived in
            let body = String(repeating: "x", count: size)
            let request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n\(body)"
            try await client.writeAndFlush(ByteBuffer(string: request)).get()
            try await client.close(mode: .output).get()
            try await arrived.get()
            let first = try #require(try await accepted.get().next())
            #expect(try await first.body.collect(upTo: size).readableBytes == size)
        }
    }

    /// - Parameters:
    ///   - size: after so many bytes what has arrived counts as all of it.
    ///   - body: gets a client's channel, its connection at the server, and when all has arrived there.
    private static func with(
        _ budget: CallerBudget,
        until size: Int,
        _ body: (any Channel, EventLoopFuture<HTTPConnection>, EventLoopFuture<Void>) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let accepted = group.any().makePromise(of: HTTPConnection.self)
        let arrived = group.any().makePromise(of: Void.self)
        let server = try await ServerBootstrap(group: group)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = HTTPConnection(channel, isLate: false, bodies: budget, limits: EdgeLimits())
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(Arrival(of: size, arrived))
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
        let client = try await ClientBootstrap(group: group)
            .connect(host: "127.0.0.1", port: try #require(server.localAddress?.port))
            .get()
        defer { client.close(promise: nil) }
        try await body(client, accepted.futureResult, arrived.futureResult)
    }
}

/// Tells when so many bytes have been read, and all has been made of them.
private final class Arrival: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let size: Int
    private let promise: EventLoopPromise<Void>
    private var count = 0

    init(of size: Int, _ promise: EventLoopPromise<Void>) {
        self.size = size
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if count >= size { promise.succeed() }
    }
}
