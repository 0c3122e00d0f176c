import Crypto
import Foundation

/// The key by which push services know a server again: RFC 8292. Browsers bind subscriptions to it.
package struct VAPIDKey: Sendable {
    let key: P256.Signing.PrivateKey

    /// A new one.
    package init() {
        key = P256.Signing.PrivateKey()
    }

    /// Reads a key as ``text`` writes it, and most tools.
    ///
    /// - Returns: nil where it is none.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        self.key = key
    }

    /// 32 bytes in base64url: a secret.
    package var text: String { Base64URL.encode(key.rawRepresentation) }

    /// 65 bytes in base64url, as browsers want it for `applicationServerKey`.
    package var publicText: String { Base64URL.encode(key.publicKey.x963Representation) }
}

extension VAPIDKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "VAPIDKey(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
