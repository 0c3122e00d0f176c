import Crypto
import Foundation
import Postgres

/// What stands in a mail and allows its reader one thing: the mail's id, and a seal that only this installation can make.
///
/// It follows from the id, so that no table holds it, and each try to send the mail sends the same one.
struct MailToken: Sendable {
    private let bytes: [UInt8]

    fileprivate init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var text: Secret { Secret(Base64URL.encode(bytes)) }

    /// What the database knows of it.
    var hash: Bytes { Bytes(Array(SHA256.hash(data: bytes))) }
}

extension MailToken: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Makes and reads the tokens of mails.
struct MailTokens: Sendable {
    private let keys: [SymmetricKey]

    init(masterKeys: MasterKeys) {
        keys = masterKeys.derived(for: "mail token")
    }

    func token(of mail: UUID, for purpose: MailKind) -> MailToken {
        MailToken(
            bytes: mail.bytes + Array(HMAC<SHA256>.authenticationCode(for: content(mail, purpose), using: keys[0]))
        )
    }

    /// Reads a token; nil if this installation did not make it for this purpose. No IO.
    func read(_ text: String, for purpose: MailKind) -> MailToken? {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text[...]), bytes.count == Self.length,
            let mail = UUID(bytes: bytes.prefix(16))
        else { return nil }
        let seal = bytes.dropFirst(16)
        let isGenuine = keys.contains {
            HMAC<SHA256>.isValidAuthenticationCode(Array(seal), authenticating: content(mail, purpose), using: $0)
        }
        return isGenuine ? MailToken(bytes: bytes) : nil
    }

    private static let length = 16 + 32
    private static let textLength = length * 4 / 3

    private func content(_ mail: UUID, _ purpose: MailKind) -> [UInt8] {
        mail.bytes + Array(purpose.rawValue.utf8)
    }
}
