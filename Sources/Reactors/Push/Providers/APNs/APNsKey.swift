import Crypto

/// The key with which tokens for Apple are signed, as the developer account gives it out.
package struct APNsKey: Sendable {
    let id: String
    let team: String
    let key: P256.Signing.PrivateKey

    /// - Parameters:
    ///   - pem: the content of the `.p8` file.
    ///   - id: the key's identifier, ten characters.
    ///   - team: the team's identifier, ten characters.
    package init(pem: String, id: String, team: String) throws(PushCredentialError) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
            throw PushCredentialError("is no private key of P-256 in PEM, as Apple's .p8 files are")
        }
        self.init(key: key, id: id, team: team)
    }

    init(key: P256.Signing.PrivateKey, id: String, team: String) {
        self.key = key
        self.id = id
        self.team = team
    }
}

extension APNsKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "APNsKey(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
