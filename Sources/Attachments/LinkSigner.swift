import Crypto
package import EventStore
package import Foundation
package import ParleyWire

/// Makes and reads capabilities: who may ask for a file by its URL alone, and until when. What is asked for is checked all the
/// same, as with an access token.
package struct LinkSigner: Sendable {
    /// How long a URL holds at least, and at most twice that: rounded, so that equal URLs can be kept.
    static let step: TimeInterval = 1_800

    private let keys: [SymmetricKey]
    private let now: @Sendable () -> Date

    package init(masterKey: MasterKey, now: @escaping @Sendable () -> Date = { Date() }) {
        let purpose = "parley attachment links"
        keys = [masterKey.derived(for: purpose)] + (masterKey.otherDerived(for: purpose).map { [$0] } ?? [])
        self.now = now
    }

    /// The URLs of one session.
    package func links(for session: UUID) -> AttachmentLinks {
        AttachmentLinks { file, size in
            let expiry = Int64((now().timeIntervalSince1970 / Self.step).rounded(.down) * Self.step + 2 * Self.step)
            let code = Self.code(file, size, session, expiry, keys[0])
            return "s=\(WireID(session))&e=\(expiry)&k=\(Self.text(code))"
        }
    }

    /// The session that a URL was made for; nil where it was made for another file, by somebody else, or too long ago.
    package func session(
        of file: UUID,
        _ size: AttachmentLinks.Size,
        _ session: String?,
        _ expiry: String?,
        _ code: String?
    ) -> UUID? {
        guard let session = session.flatMap({ WireID($0) })?.uuid, let expiry = expiry.flatMap({ Int64($0) }), let code,
            code.utf8.count == 43, now().timeIntervalSince1970 < Double(expiry)
        else { return nil }
        let isRight = keys.contains { key in
            // In the same time for every wrong one.
            let expected = Array(Self.text(Self.code(file, size, session, expiry, key)).utf8)
            return zip(expected, code.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
        return isRight ? session : nil
    }

    private static func code(
        _ file: UUID,
        _ size: AttachmentLinks.Size,
        _ session: UUID,
        _ expiry: Int64,
        _ key: SymmetricKey
    ) -> HMAC<SHA256>.MAC {
        var content = withUnsafeBytes(of: file.uuid) { Array($0) }
        withUnsafeBytes(of: session.uuid) { content.append(contentsOf: $0) }
        withUnsafeBytes(of: expiry.bigEndian) { content.append(contentsOf: $0) }
        content.append(size == .full ? 0 : 1)
        return HMAC<SHA256>.authenticationCode(for: content, using: key)
    }

    private static func text(_ code: HMAC<SHA256>.MAC) -> String {
        Data(code).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}
