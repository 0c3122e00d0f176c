import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A web server on this machine that a test writes the answers of.
package final class WebTestServer: Sendable {
    package struct Request: Sendable {
        package let method: String
        /// Path and query.
        package let target: String
        package let headers: [(name: String, value: String)]
        package let body: [UInt8]

        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    package enum Answer: Sendable {
        /// - Parameter isWhole: whether it ends.
        case answer(
            status: Int,
            headers: [(String, String)] = [],
            body: [UInt8] = [],
            isChunked: Bool = false,
            isWhole: Bool = true
        )
        /// A byte now and then, of a body of so many.
        case drip(status: Int, length: Int, every: Duration)
        /// The same bytes again and again, as fast as they are taken.
        case endless(status: Int, of: [UInt8])
        /// Part of a body, and then the connection is closed.
        case breakOff(status: Int, body: [UInt8])
        /// Nothing, ever.
        case silence
        /// The connection is closed.
        case hangUp
    }

    package let port: Int
    /// Each request, when it has come.
    package let arrivals: AsyncStream<Request>
    private let log: RequestLog
    private let channel: any Channel

    private init(port: Int, arrivals: AsyncStream<Request>, log: RequestLog, channel: any Channel) {
        self.port = port
        self.arrivals = arrivals
        self.log = log
        self.channel = channel
    }

    /// Every request, in order.
    package var requests: [Request] { log.all }

    /// Runs a server while the test's body runs.
    ///
    /// - Parameter certificate: it speaks TLS with that; none without.
    package static func with<Value>(
        _ certificate: TestCertificate? = nil,
        answer: @escaping @Sendable (Request) -> Answer,
        _ body: (WebTestServer) async throws -> Value
    ) async throws -> Value {
        let tls = try certificate.map { certificate in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: NIOSSLCertificate.fromPEMFile(certificate.path).map { .certificate($0) },
                    privateKey: .privateKey(NIOSSLPrivateKey(file: certificate.keyPath, format: .pem))
                )
            )
        }
        let (arrivals, arriving) = AsyncStream.makeStream(of: Request.self)
        let log = RequestLog()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(
                        RequestHandler { request in
                            log.append(request)
                            arriving.yield(request)
                            return answer(request)
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = WebTestServer(
            port: channel.localAddress?.port ?? 0,
            arrivals: arrivals,
            log: log,
            channel: channel
        )
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        arriving.finish()
        try? await channel.close()
        return try result.get()
    }
}

private final class RequestLog: Sendable {
    private let requests = Mutex<[WebTestServer.Request]>([])

    var all: [WebTestServer.Request] { requests.withLock { $0 } }

    func append(_ request: WebTestServer.Request) { requests.withLock { $0.append(request) } }
}

private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: (WebTestServer.Request) -> WebTestServer.Answer
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(answer: @escaping (WebTestServer.Request) -> WebTestServer.Answer) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part): body += Array(part.readableBytesView)
        case .end:
            guard let head else { return }
            let request = WebTestServer.Request(
                method: head.method.rawValue,
                target: head.uri,
                headers: head.headers.map { ($0.name, $0.value) },
                body: body
            )
            write(answer(request), context)
        }
    }

    private func write(_ answer: WebTestServer.Answer, _ context: ChannelHandlerContext) {
        let channel = context.channel
        switch answer {
        case .silence: return
        case .hangUp: context.close(promise: nil)
        case .drip(let status, let length, let pause):
            begin(status, ["content-length": "\(length)"], context)
            channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(pause)) { task in
                guard channel.isActive else { return task.cancel() }
                channel.writeAndFlush(part("a"), promise: nil)
            }
        case .endless(let status, let bytes):
            begin(status, [:], context)
            pour(String(decoding: bytes, as: UTF8.self), into: channel)
        case .breakOff(let status, let body):
            begin(status, ["content-length": "\(body.count + 1)"], context)
            channel.writeAndFlush(part(String(decoding: body, as: UTF8.self)))
                .whenComplete { _ in channel.close(promise: nil) }
        case .answer(let status, let fields, let body, let isChunked, let isWhole):
            var headers = HTTPHeaders(fields)
            if !isChunked {
                headers.add(name: "content-length", value: String(body.count + (isWhole ? 0 : 1)))
            }
            begin(status, headers, context)
            // What HEAD would have is told, and not given.
            if head?.method != .HEAD {
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            }
            if isWhole { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        }
    }

    private func begin(_ status: Int, _ headers: HTTPHeaders, _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: status),
            headers: headers
        )
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }
}

private func part(_ text: String) -> HTTPServerResponsePart {
    .body(.byteBuffer(ByteBuffer(string: text)))
}

/// Goes on, a turn of the loop later, until the connection is closed.
private func pour(_ text: String, into channel: any Channel) {
    channel.writeAndFlush(part(text)).whenSuccess {
        channel.eventLoop.execute { pour(text, into: channel) }
    }
}
