import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// An OpenID Connect issuer on this machine, over TLS with a certificate of its own. It is strict: a code counts once, and only
/// with the verifier, the address and the client that it was given out for.
package final class TestIssuer: Sendable {
    package static let clientID = "parley-web"
    package static let clientSecret = "planted-client secret/+"
    /// Both, each encoded by itself (RFC 6749 §2.3.1).
    private static let credentials = "parley-web:planted-client%20secret%2F%2B"

    /// What it does when it is asked for a path.
    package enum Behaviour: Sendable {
        case answer
        case body(String)
        case status(Int)
        case redirect(String)
        case hang
    }

    private struct State {
        var port = 0
        var keys: [TestSigningKey]
        var behaviours: [String: Behaviour] = [:]
        var requests: [String] = []
        var codes: [String: Grant] = [:]
    }

    struct Grant: Sendable {
        let query: [String: String]
        let claims: @Sendable () -> [String: Any]
    }

    private let state: Mutex<State>
    private let certificate: TestCertificate

    private init(_ key: TestSigningKey, _ certificate: TestCertificate) {
        state = Mutex(State(keys: [key]))
        self.certificate = certificate
    }

    package var url: String { "https://localhost:\(state.withLock { $0.port })" }
    /// The certificate to trust.
    package var certificateFile: String { certificate.path }
    /// The paths that it was asked for.
    package var requests: [String] { state.withLock { $0.requests } }
    package var keys: [TestSigningKey] { state.withLock { $0.keys } }

    package func setKeys(_ keys: [TestSigningKey]) { state.withLock { $0.keys = keys } }
    package func set(_ behaviour: Behaviour, at path: String) { state.withLock { $0.behaviours[path] = behaviour } }

    package static let discoveryPath = "/.well-known/openid-configuration"
    package static let keysPath = "/jwks"
    package static let tokenPath = "/token"

    /// Runs an issuer while the body runs.
    package static func with(
        _ key: TestSigningKey = .p256("first"),
        _ body: (TestIssuer) async throws -> Void
    ) async throws {
        let certificate = try await TestCertificate.make()
        defer { certificate.remove() }
        let issuer = TestIssuer(key, certificate)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: issuer.router,
            server: try .tls(.http1(), tlsConfiguration: try certificate.serverConfiguration),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: SecretWatch.logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await port in ports {
                issuer.state.withLock { $0.port = port }
                break
            }
            try await body(issuer)
            group.cancelAll()
            // It ends as it is told to.
            while (try? await group.next()) != nil {}
        }
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.get(RouterPath(Self.discoveryPath)) { _, _ in
            try await self.respond(at: Self.discoveryPath) { try self.metadata }
        }
        router.get(RouterPath(Self.keysPath)) { _, _ in
            try await self.respond(at: Self.keysPath) {
                try Self.json(["keys": try self.keys.map { try $0.published }])
            }
        }
        router.post(RouterPath(Self.tokenPath)) { request, _ in
            let form = try await request.body.collect(upTo: 16_384)
            let authorization = request.headers[.authorization]
            return try await self.respond(at: Self.tokenPath) {
                try self.redeem(String(buffer: form), authorization: authorization)
            }
        }
        return router
    }

    private func respond(at path: String, _ answer: () throws -> Data?) async throws -> Response {
        let behaviour = state.withLock { state in
            state.requests.append(path)
            return state.behaviours[path] ?? .answer
        }
        switch behaviour {
        case .answer:
            guard let body = try answer() else { return Response(status: .badRequest) }
            return Response(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "public, max-age=3600"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
            )
        case .body(let text): return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        case .status(let code): return Response(status: .init(code: code))
        case .redirect(let place): return Response(status: .found, headers: [.location: place])
        case .hang:
            // Until the issuer ends.
            try await Task.sleep(for: .seconds(3_600))
            return Response(status: .ok)
        }
    }

    private var metadata: Data {
        get throws {
            try Self.json([
                "issuer": url, "authorization_endpoint": "\(url)/authorize?tenant=one",
                "token_endpoint": "\(url)/token",
                "jwks_uri": "\(url)/jwks", "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            ])
        }
    }

    static func json(_ value: Any) throws -> Data { try JSONSerialization.data(withJSONObject: value) }
}

extension TestIssuer {
    /// What a person does in the browser: agrees. Gives the code that the browser brings back.
    ///
    /// - Parameters:
    ///   - query: of the address that the browser was sent to.
    ///   - claims: what the token is to say beside what it was asked for with.
    package func authorize(
        _ query: [String: String],
        claims: @escaping @Sendable () -> [String: Any]
    ) -> String {
        let code = UUID().uuidString
        state.withLock { $0.codes[code] = Grant(query: query, claims: claims) }
        return code
    }

    private func redeem(_ form: String, authorization: String?) throws -> Data? {
        let form = Self.items(form)
        guard authorization == "Basic \(Data(Self.credentials.utf8).base64EncodedString())",
            form["grant_type"] == "authorization_code", let code = form["code"],
            let grant = state.withLock({ $0.codes.removeValue(forKey: code) }),
            form["redirect_uri"] == grant.query["redirect_uri"], form["client_id"] == grant.query["client_id"],
            let verifier = form["code_verifier"], grant.query["code_challenge_method"] == "S256",
            Data(SHA256.hash(data: Data(verifier.utf8))).base64URL == grant.query["code_challenge"]
        else { return nil }
        var claims = grant.claims()
        if claims["nonce"] == nil { claims["nonce"] = grant.query["nonce"] }
        let key = keys.first ?? .p256("none")
        return try Self.json([
            "access_token": "planted-access-token", "token_type": "Bearer", "expires_in": 3_600,
            "id_token": try key.token(claims),
        ])
    }

    /// The items of a query or a form.
    package static func items(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            return (parts.first ?? "", parts.count == 2 ? parts[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension TestCertificate {
    fileprivate var serverConfiguration: TLSConfiguration {
        get throws {
            TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem))
            )
        }
    }
}
