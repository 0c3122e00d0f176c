import Crypto
import CryptoExtras
package import Foundation

/// A service account of Google's, as the console gives it out in a file.
package struct ServiceAccount: Sendable {
    let project: String
    let email: String
    let keyID: String?
    let key: _RSA.Signing.PrivateKey
    /// Where it gets access tokens.
    let tokenURL: URL

    private struct File: Decodable {
        var project_id: String?
        var client_email: String?
        var private_key_id: String?
        var private_key: String?
        var token_uri: String?
    }

    /// - Parameter json: the content of that file.
    package init(json: Data) throws(PushCredentialError) {
        guard let file = try? JSONDecoder().decode(File.self, from: json) else {
            throw PushCredentialError("is no JSON of a service account")
        }
        guard let project = file.project_id, let email = file.client_email, let pem = file.private_key else {
            throw PushCredentialError("lacks one of project_id, client_email and private_key")
        }
        guard !project.isEmpty, project.utf8.allSatisfy({ Self.isNameByte($0) }) else {
            throw PushCredentialError("has a project_id that is none")
        }
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) else {
            throw PushCredentialError("has a private_key that is no RSA key in PEM")
        }
        guard let url = URL(string: file.token_uri ?? "https://oauth2.googleapis.com/token"),
            ["http", "https"].contains(url.scheme), url.host?.isEmpty == false
        else { throw PushCredentialError("has a token_uri that is no URL") }
        (self.project, self.email, keyID, self.key, tokenURL) = (project, email, file.private_key_id, key, url)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private struct Claims: Encodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64
    }

    /// Says who we are, so that an access token is given for it.
    func assertion(at now: Date) throws -> String {
        let claims = Claims(
            iss: email,
            scope: "https://www.googleapis.com/auth/firebase.messaging",
            aud: tokenURL.absoluteString,
            iat: now.epochSeconds,
            exp: now.epochSeconds + 3_600
        )
        return try JSONWebToken.make(JSONWebToken.Header(alg: "RS256", kid: keyID), claims) {
            try key.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}

extension ServiceAccount: CustomStringConvertible, CustomReflectable {
    package var description: String { "ServiceAccount(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
