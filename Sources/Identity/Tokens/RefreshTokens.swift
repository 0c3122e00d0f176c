import Crypto
import Foundation

/// Makes and reads refresh tokens.
///
/// A session's tokens form a chain: each follows from the one before under a key of this installation. So a client that
/// lost the answer to a refresh can be given the same successor again, though the database knows only its hash.
struct RefreshTokens: Sendable {
    /// How long after a rotation the old token is still answered.
    let grace: TimeInterval
    private let lifetime: TimeInterval
    private let chainKey: SymmetricKey
    private let sealKey: SymmetricKey

    init(masterKey: SymmetricKey, _ configuration: IdentityConfiguration) {
        lifetime = configuration.refreshTokenLifetime.seconds
        grace = configuration.refreshGrace.seconds
        chainKey = masterKey.derived(for: "refresh token chain")
        sealKey = masterKey.derived(for: "refresh token seal")
    }

    func first(of session: UUID) -> RefreshToken {
        sealed(session, secret: SymmetricKey(size: .bits256).bytes)
    }

    func successor(of token: RefreshToken) -> RefreshToken {
        let next = HMAC<SHA256>.authenticationCode(for: token.sessionID.bytes + token.secret, using: chainKey)
        return sealed(token.sessionID, secret: Array(next))
    }

    /// Reads a token; nil if this installation did not make it.
    func read(_ text: String) -> RefreshToken? {
        guard let token = RefreshToken(text: text) else { return nil }
        let content = token.sessionID.bytes + token.secret
        guard HMAC<SHA256>.isValidAuthenticationCode(token.seal, authenticating: content, using: sealKey) else {
            return nil
        }
        return token
    }

    func expiry(of now: Date) -> Date {
        now.addingTimeInterval(lifetime)
    }

    private func sealed(_ session: UUID, secret: [UInt8]) -> RefreshToken {
        let seal = HMAC<SHA256>.authenticationCode(for: session.bytes + secret, using: sealKey)
        return RefreshToken(sessionID: session, secret: secret, seal: Array(seal))
    }
}
