package import Foundation
package import Identity
package import Logging
import Outbound

/// One issuer: whose word its tokens are, and how browsers sign in with it.
package struct OpenIDIssuer: Sendable {
    /// How long one request to an issuer may take.
    package static let patience: Duration = .seconds(5)

    package let provider: OpenIDProvider
    let client: OutboundClient
    private let requests: IssuerRequests
    private let metadata: IssuerDocument<IssuerMetadata>
    private let keys: IssuerDocument<KeySet>
    private let now: @Sendable () -> Date

    /// Asks the issuer nothing yet: that it is down must not keep a server from starting.
    ///
    /// - Throws: `OutboundTrustError` where its own certificates cannot be read.
    package init(
        _ provider: OpenIDProvider,
        logger: Logger,
        patience: Duration = patience,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.provider = provider
        self.now = now
        client = try OutboundClient(
            rules: .operators,
            trustFile: provider.trustFile,
            maximumConnections: 8,
            logger: logger
        )
        let requests = IssuerRequests(provider: provider.id, client: client, patience: patience, logger: logger)
        self.requests = requests
        let metadata = IssuerDocument<IssuerMetadata>(lifetimes: 86_400...86_400, now: now) {
            () async throws(OpenIDError) in
            guard let url = IssuerMetadata.address(of: provider.issuer) else { throw requests.failed("no address") }
            let (body, lifetime) = try await requests.document(at: url)
            do throws(OpenIDError) {
                return .init(value: try IssuerMetadata(body, of: provider.issuer), lifetime: lifetime)
            } catch {
                throw requests.failed("no metadata of this issuer")
            }
        }
        self.metadata = metadata
        // A key that was withdrawn counts for an hour at most.
        keys = IssuerDocument<KeySet>(lifetimes: 300...3_600, now: now) { () async throws(OpenIDError) in
            let (body, lifetime) = try await requests.document(at: try await metadata.value().keysAddress)
            do throws(OpenIDError) {
                return .init(value: try KeySet(body), lifetime: lifetime)
            } catch {
                throw requests.failed("no keys of use")
            }
        }
    }

    /// Who somebody is by an ID token that an app has got from the issuer.
    ///
    /// - Parameter nonce: what the app has asked for it with, if it has.
    package func identity(provedBy token: Secret, nonce: String?) async throws(OpenIDError) -> IssuerIdentity {
        try await identity(provedBy: token.exposed, for: provider.clientIDs, nonce: nonce)
    }

    private func identity(
        provedBy text: String,
        for clientIDs: [String],
        nonce: String?
    ) async throws(OpenIDError) -> IssuerIdentity {
        let token = try SignedToken(text)
        let claims = try token.claims(signedWith: try await key(of: token))
        try TokenRules(issuer: provider.issuer, clientIDs: clientIDs).check(claims, nonce: nonce, at: now())
        return IssuerIdentity(
            issuer: provider.issuer,
            subject: claims.subject,
            email: claims.isEmailVerified ? claims.email : nil,
            displayName: claims.name
        )
    }

    /// Issuers change their keys as they like, and tokens name the new one before we have heard of it.
    private func key(of token: SignedToken) async throws(OpenIDError) -> VerificationKey {
        if let key = try await keys.value().find(token.keyID, token.algorithm) { return key }
        if let key = try await keys.newer()?.find(token.keyID, token.algorithm) { return key }
        throw .badToken(.unknownKey)
    }

    /// Where a browser is sent to sign in.
    package func authorizationURL(
        _ secrets: BrowserSecrets,
        returningTo redirectURL: String
    ) async throws(OpenIDError) -> String {
        let endpoint = try await metadata.value().authorizationEndpoint
        let query = FormEncoding.text([
            ("response_type", "code"), ("client_id", provider.browserClientID), ("redirect_uri", redirectURL),
            ("scope", "openid email profile"), ("state", secrets.state), ("nonce", secrets.nonce),
            ("code_challenge", secrets.challenge), ("code_challenge_method", "S256"),
        ])
        return "\(endpoint.absoluteString)\(endpoint.query == nil ? "?" : "&")\(query)"
    }

    /// Who somebody is by the code that a browser has come back with.
    package func identity(
        redeeming code: Secret,
        _ secrets: BrowserSecrets,
        returnedTo redirectURL: String
    ) async throws(OpenIDError) -> IssuerIdentity {
        let metadata = try await metadata.value()
        let clientID = provider.browserClientID
        var form = [
            ("grant_type", "authorization_code"), ("code", code.exposed), ("redirect_uri", redirectURL),
            ("client_id", clientID), ("code_verifier", secrets.verifier),
        ]
        var authorization: String?
        if metadata.takesBasicAuthentication {
            // Each is encoded by itself first (RFC 6749 §2.3.1).
            let secret = FormEncoding.encoded(provider.clientSecret.exposed)
            let pair = Data("\(FormEncoding.encoded(clientID)):\(secret)".utf8)
            authorization = "Basic \(pair.base64EncodedString())"
        } else {
            form.append(("client_secret", provider.clientSecret.exposed))
        }
        let body = try await requests.redeem(form, at: metadata.tokenEndpoint, authorization: authorization)
        guard let answer = try? JSONDecoder().decode(CodeAnswer.self, from: Data(body)) else {
            throw requests.failed("no token for a code")
        }
        return try await identity(provedBy: answer.id_token, for: [clientID], nonce: secrets.nonce)
    }

    private struct CodeAnswer: Decodable {
        let id_token: String
    }
}
