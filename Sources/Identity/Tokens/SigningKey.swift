import Crypto
import Foundation

/// A key that signs access tokens, under the id that their headers name.
struct SigningKey: Sendable {
    /// The `kid`: the first half of the SHA-256 of the public key, so that it cannot name another key.
    let id: String
    let privateKey: P256.Signing.PrivateKey

    init(privateKey: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.privateKey = privateKey
        let fingerprint = SHA256.hash(data: privateKey.publicKey.x963Representation)
        id = Base64URL.encode(fingerprint.prefix(16))
    }

    /// The private key, encrypted for the database.
    func wrapped(under key: SymmetricKey) throws -> [UInt8] {
        let box = try AES.GCM.seal(privateKey.rawRepresentation, using: key, authenticating: Data(id.utf8))
        // `combined` is nil only for a nonce of another length than the default.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(combined)
    }

    /// Opens what `wrapped(under:)` made; throws if it was made under another key or for another id.
    init(wrapped: [UInt8], id: String, under key: SymmetricKey) throws {
        let box = try AES.GCM.SealedBox(combined: wrapped)
        let raw = try AES.GCM.open(box, using: key, authenticating: Data(id.utf8))
        self.init(privateKey: try P256.Signing.PrivateKey(rawRepresentation: raw))
        guard self.id == id else { throw CryptoKitError.authenticationFailure }
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    var description: String { "signing key \(id)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
