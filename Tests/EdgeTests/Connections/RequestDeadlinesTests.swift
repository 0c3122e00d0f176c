import NIOCore
import NIOEmbedded
import Testing

@testable import Edge

/// How long the rest of a request is waited for.
@Suite struct RequestDeadlinesTests {
    /// Connected, with a body of 30 s at the most that has begun to come.
    private static func begin() throws -> (EmbeddedChannel, RequestDeadlines) {
        let deadlines = RequestDeadlines(EdgeLimits())
        let channel = EmbeddedChannel(handler: BeginningBody(deadlines))
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
        #expect(channel.isActive)
        return (channel, deadlines)
    }

    /// Lets a third of the deadline pass, in which so many bytes come.
    private static func pass(_ channel: EmbeddedChannel, _ deadlines: RequestDeadlines, bytes: Int = 5_000) {
        deadlines.count(ByteBuffer(repeating: 0, count: bytes))
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
    }

    @Test func `a body that keeps up the rate has the whole of its time, and no more`() throws {
        let (channel, deadlines) = try Self.begin()
        deadlines.isReading = true
        for _ in 1...2 { Self.pass(channel, deadlines) }
        #expect(channel.isActive)
        Self.pass(channel, deadlines)
        #expect(!channel.isActive)
    }

    @Test func `a body that drips in is given up`() throws {
        let (channel, deadlines) = try Self.begin()
        deadlines.isReading = true
        Self.pass(channel, deadlines, bytes: 100)
        #expect(!channel.isActive)
    }

    @Test func `a body that waits for its turn has its time from then on`() throws {
        let (channel, deadlines) = try Self.begin()
        for _ in 1...10 { Self.pass(channel, deadlines, bytes: 0) }
        #expect(channel.isActive)
        deadlines.isReading = true
        for _ in 1...2 { Self.pass(channel, deadlines) }
        #expect(channel.isActive)
        Self.pass(channel, deadlines)
        #expect(!channel.isActive)
    }
}

/// A connection in the middle of a body from the start.
private final class BeginningBody: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let deadlines: RequestDeadlines

    init(_ deadlines: RequestDeadlines) {
        self.deadlines = deadlines
    }

    func handlerAdded(context: ChannelHandlerContext) {
        deadlines.expectBody(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadlines.stop()
    }
}
