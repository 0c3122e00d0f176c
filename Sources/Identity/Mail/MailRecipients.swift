import Crypto
import Foundation
import Postgres

/// Seals the addresses of mails whose account is not looked up yet.
struct MailRecipients: Sendable {
    private let keys: [SymmetricKey]

    /// The length of a sealed text: one for its length, then the longest address.
    private static let length = 255

    init(masterKeys: MasterKeys) {
        keys = masterKeys.derived(for: "mail recipient")
    }

    /// - Parameter address: nil for what can be nobody's address, which costs the same work.
    func seal(_ address: EmailAddress?, of mail: UUID) throws -> Bytes {
        let text = Array((address?.text ?? "").utf8).prefix(Self.length - 1)
        let padded = [UInt8(text.count)] + text + [UInt8](repeating: 0, count: Self.length - 1 - text.count)
        let box = try AES.GCM.seal(padded, using: keys[0], authenticating: mail.bytes)
        // `combined` is nil only for a nonce of another length than the default.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Bytes(Array(combined))
    }

    func open(_ sealed: Bytes, of mail: UUID) throws -> EmailAddress? {
        let box = try AES.GCM.SealedBox(combined: sealed.bytes)
        let padded = Array(try keys.firstOpening { try AES.GCM.open(box, using: $0, authenticating: mail.bytes) })
        guard let count = padded.first, count > 0, Int(count) < padded.count else { return nil }
        return EmailAddress(stored: String(decoding: padded[1...Int(count)], as: UTF8.self))
    }
}
