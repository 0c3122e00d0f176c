import Crypto
import Foundation

/// Makes and verifies access tokens: JWTs signed with ES256 (RFC 7515, 7518 §3.4), for this installation alone.
///
/// Verifying starts from the few headers that this installation writes, one per key: any other header (`alg: none`,
/// another algorithm, an unknown `kid`, an embedded key) is refused unread, and no JSON is parsed before the signature
/// is right.
struct AccessTokens: Sendable {
    private let signingKeys: SigningKeySet
    /// By their header, as it stands in a token.
    private let keys: [String: P256.Signing.PublicKey]
    private let issuer: String
    private let lifetime: TimeInterval
    private let verified: TokenMemory<AuthenticatedUser>

    /// How far the clocks of two servers may differ.
    private static let clockTolerance: TimeInterval = 60
    private static let maximumLength = 1024

    init(keys: SigningKeySet, _ configuration: IdentityConfiguration) {
        signingKeys = keys
        self.keys = Dictionary(
            keys.entries.map { (Self.header(of: $0.key), $0.key.privateKey.publicKey) },
            uniquingKeysWith: { first, _ in first }
        )
        issuer = configuration.issuer
        lifetime = configuration.accessTokenLifetime.seconds.rounded(.down)
        verified = TokenMemory(limit: configuration.verifiedTokenLimit)
    }

    var keyIDs: Set<String> { signingKeys.ids }

    /// Makes a token for a session.
    func issue(for user: UUID, session: UUID, at now: Date) throws -> (token: Secret, expiresAt: Date) {
        let issuedAt = Int64(now.timeIntervalSince1970)
        let claims = AccessTokenClaims(
            iss: issuer,
            aud: issuer,
            sub: user,
            sid: session,
            iat: issuedAt,
            nbf: issuedAt,
            exp: issuedAt + Int64(lifetime),
            jti: UUID()
        )
        let key = signingKeys.signing(at: now)
        let signed = "\(Self.header(of: key)).\(Base64URL.encode(try claims.encoded()))"
        let signature = try key.privateKey.signature(for: Data(signed.utf8))
        return (Secret("\(signed).\(Base64URL.encode(signature.rawRepresentation))"), claims.expiry)
    }

    /// Whose token it is, if it is genuine and its time has not passed. Whether the session lives on is asked elsewhere.
    ///
    /// - Parameters:
    ///   - beforeCheck: is called before a signature is checked; what it throws is thrown.
    ///   - onForgery: is called where the signature is wrong.
    /// - Throws: `IdentityError`.
    func verify(
        _ token: String,
        at now: Date,
        beforeCheck: () throws -> Void = {},
        onForgery: () -> Void = {}
    ) throws -> AuthenticatedUser {
        guard token.utf8.count <= Self.maximumLength else { throw IdentityError.unauthenticated }
        let fingerprint = SHA256.hash(of: token)
        let known = verified.find(fingerprint)
        let user = try known ?? accept(claims(of: token, beforeCheck, onForgery), at: now)
        // Also of a token that has expired: whoever goes on with it costs no more checks.
        if known == nil { verified.insert(user, for: fingerprint) }
        guard now < user.tokenExpiresAt else { throw IdentityError.tokenExpired }
        return user
    }

    private func claims(
        of token: String,
        _ beforeCheck: () throws -> Void,
        _ onForgery: () -> Void
    ) throws -> AccessTokenClaims {
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let key = keys[String(parts[0])],
            let rawSignature = Base64URL.decode(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: rawSignature)
        else { throw IdentityError.unauthenticated }
        try beforeCheck()
        guard key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)) else {
            onForgery()
            throw IdentityError.unauthenticated
        }
        guard let payload = Base64URL.decode(parts[1]), let claims = try? AccessTokenClaims(decoding: payload) else {
            throw IdentityError.unauthenticated
        }
        return claims
    }

    /// Whose token it is, whether or not its time has passed.
    private func accept(_ claims: AccessTokenClaims, at now: Date) throws(IdentityError) -> AuthenticatedUser {
        guard claims.iss == issuer, claims.aud == issuer,
            claims.notBefore <= now.addingTimeInterval(Self.clockTolerance),
            // Who has a leaked key must not make tokens that outlive it by years.
            claims.issuedAt <= now.addingTimeInterval(Self.clockTolerance)
        else { throw .unauthenticated }
        // Never longer than this configuration says: a session's revocation is remembered no longer either.
        let expiry = min(claims.expiry, claims.issuedAt.addingTimeInterval(lifetime))
        return AuthenticatedUser(userID: claims.sub, sessionID: claims.sid, tokenExpiresAt: expiry)
    }

    private static func header(of key: SigningKey) -> String {
        // `at+jwt` keeps other tokens that the key may come to sign from passing as access tokens (RFC 9068).
        Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(key.id)","typ":"at+jwt"}"#.utf8))
    }
}
