import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A push service in the place of Firebase: over TLS, with a certificate of its own, it gives tokens to whoever asks and takes
/// all notifications at once.
struct PushService {
    private let channel: any Channel
    private let directory: TemporaryDirectory
    private let port: Int

    /// Starts one, lends it, and ends it.
    static func with<Value>(_ body: (PushService) async throws -> Value) async throws -> Value {
        let service = try await start()
        return try await withEnding {
            try await body(service)
        } ending: {
            try? await service.channel.close()
            service.directory.remove()
        }
    }

    /// What a server is told of it.
    var environment: [String: String] {
        [
            "PARLEY_PUSH_FCM_FILE": "\(directory.path)/account.json",
            "PARLEY_PUSH_FCM_URL": "https://127.0.0.1:\(port)",
            "PARLEY_OUTBOUND_CA_FILE": "\(directory.path)/certificate.pem",
        ]
    }

    private static func start() async throws -> PushService {
        let directory = try TemporaryDirectory()
        do {
            let (key, certificate) = ("\(directory.path)/key.pem", "\(directory.path)/certificate.pem")
            _ = try await LoadProcess.run([
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ])
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
            )
            configuration.applicationProtocols = ["http/1.1"]
            let tls = try NIOSSLContext(configuration: configuration)
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        try channel.pipeline.syncOperations.addHandler(PushAnswers())
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = channel.localAddress?.port ?? 0
            // Whoever asks for a token signs with a key of its own, which nobody checks here.
            let account = [
                "type": "service_account", "project_id": "bench", "private_key_id": "1",
                "private_key": try String(contentsOfFile: key, encoding: .utf8),
                "client_email": "bench@example.org", "token_uri": "https://127.0.0.1:\(port)/token",
            ]
            try JSONEncoder().encode(account).write(to: URL(fileURLWithPath: "\(directory.path)/account.json"))
            return PushService(channel: channel, directory: directory, port: port)
        } catch {
            directory.remove()
            throw error
        }
    }
}

private final class PushAnswers: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var isToken = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): isToken = head.uri == "/token"
        case .body: break
        case .end:
            let text =
                isToken
                ? #"{"access_token":"bench","expires_in":3600,"token_type":"Bearer"}"#
                : #"{"name":"projects/bench/messages/1"}"#
            let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(text.utf8.count)"]
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
