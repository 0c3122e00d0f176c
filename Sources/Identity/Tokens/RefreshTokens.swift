import Crypto
import Foundation

/// Makes and reads refresh tokens.
///
/// A session's tokens form a chain: each follows from the one before under a key of this installation. So a client that
/// lost the answer to a refresh can be given the same successor again, though the database knows only its hash.
struct RefreshTokens: Sendable {
    private let lifetime: TimeInterval
    /// Of the master key, and of the other one while it is rotated.
    private let chainKeys: [SymmetricKey]
    private let sealKeys: [SymmetricKey]

    init(masterKeys: MasterKeys, _ configuration: IdentityConfiguration) {
        lifetime = configuration.refreshTokenLifetime.seconds
        chainKeys = masterKeys.derived(for: "refresh token chain")
        sealKeys = masterKeys.derived(for: "refresh token seal")
    }

    func first(of session: UUID) -> RefreshToken {
        sealed(session, secret: SymmetricKey(size: .bits256).bytes, under: sealKeys[0])
    }

    /// The token that follows, then the one that a process with the other master key has made follow.
    func successors(of token: RefreshToken) -> [RefreshToken] {
        zip(chainKeys, sealKeys).map { chainKey, sealKey in
            let next = HMAC<SHA256>.authenticationCode(for: token.sessionID.bytes + token.secret, using: chainKey)
            return sealed(token.sessionID, secret: Array(next), under: sealKey)
        }
    }

    /// Reads a token; nil if this installation did not make it.
    func read(_ text: String) -> RefreshToken? {
        guard let token = RefreshToken(text: text) else { return nil }
        let content = token.sessionID.bytes + token.secret
        let isGenuine = sealKeys.contains {
            HMAC<SHA256>.isValidAuthenticationCode(token.seal, authenticating: content, using: $0)
        }
        return isGenuine ? token : nil
    }

    func expiry(of now: Date) -> Date {
        now.addingTimeInterval(lifetime)
    }

    private func sealed(_ session: UUID, secret: [UInt8], under key: SymmetricKey) -> RefreshToken {
        let seal = HMAC<SHA256>.authenticationCode(for: session.bytes + secret, using: key)
        return RefreshToken(sessionID: session, secret: secret, seal: Array(seal))
    }
}
