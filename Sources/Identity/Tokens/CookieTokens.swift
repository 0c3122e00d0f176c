import Crypto
import Foundation

/// Makes and reads what browsers' cookies hold, and says how long one is good for.
struct CookieTokens: Sendable {
    let lifetime: TimeInterval
    /// Of the master key, and of the other one while it is rotated. Other keys than those of refresh tokens: neither passes
    /// for the other.
    private let sealKeys: [SymmetricKey]

    private static let secretLength = 32
    private static let length = 16 + secretLength + SHA256.byteCount
    private static let textLength = (length * 8 + 5) / 6
    private static let day: TimeInterval = 24 * 60 * 60

    init(masterKeys: MasterKeys, _ configuration: IdentityConfiguration) {
        lifetime = configuration.refreshTokenLifetime.seconds
        sealKeys = masterKeys.derived(for: "session cookie seal")
    }

    func make(for session: UUID) -> CookieToken {
        CookieToken(sessionID: session, secret: SymmetricKey(size: .bits256).bytes)
    }

    /// A cookie that holds the token, sealed under the present key.
    func cookie(_ token: CookieToken) -> SessionCookie {
        let seal = HMAC<SHA256>.authenticationCode(for: token.content, using: sealKeys[0])
        return SessionCookie(value: Secret(Base64URL.encode(token.content + Array(seal))), lifetime: .seconds(lifetime))
    }

    /// Reads a cookie's value; nil if this installation did not make it.
    func read(_ text: String) -> CookieToken? {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text[...]), bytes.count == Self.length,
            let session = UUID(bytes: bytes.prefix(16))
        else { return nil }
        let token = CookieToken(sessionID: session, secret: Array(bytes[16..<(16 + Self.secretLength)]))
        let seal = bytes[(16 + Self.secretLength)...]
        let isGenuine = sealKeys.contains {
            HMAC<SHA256>.isValidAuthenticationCode(seal, authenticating: token.content, using: $0)
        }
        return isGenuine ? token : nil
    }

    func expiry(of now: Date) -> Date {
        now.addingTimeInterval(lifetime)
    }

    /// Whether a cookie that is used should be renewed: once a day, or ten times in a short life.
    func isDue(_ expiry: Date, at now: Date) -> Bool {
        expiry < self.expiry(of: now).addingTimeInterval(-min(Self.day, lifetime / 10))
    }
}
