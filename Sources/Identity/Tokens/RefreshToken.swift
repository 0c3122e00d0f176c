import Crypto
import Foundation

/// A refresh token: the session's id, 256 secret bits, and a seal that only this installation can make.
///
/// The seal tells an old token, whose use means theft, from an invented one, without keeping every token that ever was
/// and without asking the database.
struct RefreshToken: Sendable {
    let sessionID: UUID
    let secret: [UInt8]
    let seal: [UInt8]

    init(sessionID: UUID, secret: [UInt8], seal: [UInt8]) {
        self.sessionID = sessionID
        self.secret = secret
        self.seal = seal
    }

    /// Reads a token; whether its seal is genuine is for `RefreshTokens` to say.
    init?(text: String) {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text[...]),
            bytes.count == Self.length, let sessionID = UUID(bytes: bytes.prefix(16))
        else { return nil }
        self.init(sessionID: sessionID, secret: Array(bytes[16..<48]), seal: Array(bytes[48..<80]))
    }

    private static let length = 16 + 32 + 32
    private static let textLength = (length * 8 + 5) / 6

    var text: Secret { Secret(Base64URL.encode(bytes)) }

    /// What the database knows of it.
    var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    private var bytes: [UInt8] { sessionID.bytes + secret + seal }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
