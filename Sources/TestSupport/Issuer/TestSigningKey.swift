package import Crypto
package import CryptoExtras
package import Foundation

/// A key that a test's issuer signs with.
package struct TestSigningKey: Sendable {
    package enum Kind: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    package let id: String
    package let kind: Kind

    package init(id: String, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }

    package static func rsa(_ id: String) throws -> TestSigningKey {
        TestSigningKey(id: id, .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)))
    }

    package static func p256(_ id: String) -> TestSigningKey {
        TestSigningKey(id: id, .p256(P256.Signing.PrivateKey()))
    }

    package var algorithm: String {
        switch kind {
        case .rsa: "RS256"
        case .p256: "ES256"
        }
    }

    /// As an issuer publishes it.
    package var published: [String: String] {
        get throws {
            switch kind {
            case .rsa(let key):
                let numbers = try key.publicKey.getKeyPrimitives()
                return [
                    "kty": "RSA", "kid": id, "use": "sig", "alg": algorithm, "n": numbers.modulus.base64URL,
                    "e": numbers.publicExponent.base64URL,
                ]
            case .p256(let key):
                let point = key.publicKey.rawRepresentation
                return [
                    "kty": "EC", "kid": id, "use": "sig", "crv": "P-256", "x": point.prefix(32).base64URL,
                    "y": point.suffix(32).base64URL,
                ]
            }
        }
    }

    package func signature(of data: Data) throws -> Data {
        switch kind {
        case .rsa(let key): try key.signature(for: data, padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256(let key): try key.signature(for: data).rawRepresentation
        }
    }

    /// A token with these claims; the header says what the key is, unless it is told to say something else.
    package func token(_ claims: [String: Any], header: [String: String] = [:]) throws -> String {
        let header = ["alg": algorithm, "kid": id, "typ": "JWT"].merging(header) { $1 }
        let signed = try Self.unsigned(claims, header: header)
        return "\(signed).\(try signature(of: Data(signed.utf8)).base64URL)"
    }

    /// What is signed of a token.
    package static func unsigned(_ claims: [String: Any], header: [String: String]) throws -> String {
        let parts = [
            try JSONSerialization.data(withJSONObject: header), try JSONSerialization.data(withJSONObject: claims),
        ]
        return parts.map(\.base64URL).joined(separator: ".")
    }
}

extension Data {
    package var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
