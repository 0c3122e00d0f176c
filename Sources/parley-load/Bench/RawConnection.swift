import NIOCore
import NIOPosix

/// One HTTP/1.1 connection that has one request under way at a time.
final class RawConnection: Sendable {
    private let channel: any Channel

    private init(channel: any Channel) {
        self.channel = channel
    }

    static func open(_ address: ServerAddress, on group: any EventLoopGroup) async throws -> RawConnection {
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Exchange())
                }
            }
            .connect(host: address.host, port: address.port)
            .get()
        return RawConnection(channel: channel)
    }

    func send(_ request: ByteBuffer) async throws -> ResponseScanner.Response {
        let promise = channel.eventLoop.makePromise(of: ResponseScanner.Response.self)
        channel.writeAndFlush(Exchange.Request(bytes: request, answer: promise), promise: nil)
        return try await promise.futureResult.get()
    }

    /// Sends one request after the other, as soon as the one before is answered, until there are no more.
    func sendAll(
        _ requests: @escaping @Sendable () -> ByteBuffer?,
        onAnswer: @escaping @Sendable (ResponseScanner.Response, Duration) -> Void
    ) async throws {
        let done = channel.eventLoop.makePromise(of: Void.self)
        let channel = channel
        @Sendable func step() {
            guard let request = requests() else { return done.succeed() }
            let started = ContinuousClock.now
            let promise = channel.eventLoop.makePromise(of: ResponseScanner.Response.self)
            channel.writeAndFlush(Exchange.Request(bytes: request, answer: promise), promise: nil)
            promise.futureResult.whenComplete { result in
                switch result {
                case .success(let response):
                    onAnswer(response, ContinuousClock.now - started)
                    step()
                case .failure(let error): done.fail(error)
                }
            }
        }
        channel.eventLoop.execute { step() }
        try await done.futureResult.get()
    }

    func close() async {
        try? await channel.close()
    }
}

/// Pairs requests with answers.
private final class Exchange: ChannelDuplexHandler {
    struct Request: Sendable {
        let bytes: ByteBuffer
        let answer: EventLoopPromise<ResponseScanner.Response>
    }

    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Request
    typealias OutboundOut = ByteBuffer

    private var scanner = ResponseScanner()
    private var waiting: EventLoopPromise<ResponseScanner.Response>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let request = unwrapOutboundIn(data)
        guard waiting == nil, context.channel.isActive else {
            request.answer.fail(ChannelError.ioOnClosedChannel)
            return
        }
        waiting = request.answer
        context.write(wrapOutboundOut(request.bytes), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        scanner.feed(&bytes)
        do {
            guard let response = try scanner.next() else { return }
            let answer = waiting
            waiting = nil
            answer?.succeed(response)
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting?.fail(ChannelError.eof)
        waiting = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        waiting?.fail(error)
        waiting = nil
        context.close(promise: nil)
    }
}
