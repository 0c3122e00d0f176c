import Crypto
import CryptoExtras
import Foundation
import Identity

/// A public key of an issuer. Its kind alone says which algorithm its signatures are of, whatever a token claims.
enum VerificationKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)

    var algorithm: SignatureAlgorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    func isValid(_ signature: [UInt8], of signed: [UInt8]) -> Bool {
        switch self {
        case .rsa(let key):
            // RS256 is PKCS #1 v1.5 by definition (RFC 7518 §3.3).
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: signed, padding: .insecurePKCS1v1_5)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: signed)
        }
    }
}

extension VerificationKey {
    /// nil for a key of another kind or use, and for one that is too weak or broken.
    init?(_ key: JSONWebKey) {
        guard key.use == nil || key.use == "sig" else { return nil }
        switch key.kty {
        case "RSA":
            guard key.alg == nil || key.alg == SignatureAlgorithm.rs256.rawValue, let n = key.bytes(key.n),
                let e = key.bytes(key.e), (256...1_024).contains(n.count), (1...8).contains(e.count),
                let rsa = try? _RSA.Signing.PublicKey(n: n, e: e)
            else { return nil }
            self = .rsa(rsa)
        case "EC":
            guard key.alg == nil || key.alg == SignatureAlgorithm.es256.rawValue, key.crv == "P-256",
                let x = key.bytes(key.x), let y = key.bytes(key.y), x.count == 32, y.count == 32,
                let p256 = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { return nil }
            self = .p256(p256)
        default:
            return nil
        }
    }
}
