import Crypto
import Identity

/// What a browser's attempt to sign in is known by again, each 256 random bits.
package struct BrowserSecrets: Sendable {
    /// Comes back with the browser.
    package let state: String
    /// Comes back in the token.
    package let nonce: String
    /// Shows the issuer that who brings the code is who asked for it (RFC 7636).
    package let verifier: String

    package init(state: String, nonce: String, verifier: String) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
    }

    package static func make() -> BrowserSecrets {
        BrowserSecrets(state: random(), nonce: random(), verifier: random())
    }

    /// What the issuer is told of the verifier at first.
    var challenge: String { Base64URL.encode(SHA256.hash(data: Array(verifier.utf8))) }

    private static func random() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.encode($0) }
    }
}

extension BrowserSecrets: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
