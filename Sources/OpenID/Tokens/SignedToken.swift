import Foundation
import Identity

/// A token in its three parts (RFC 7515 §7.1), of which only the header is read before the signature was checked.
struct SignedToken: Sendable {
    private static let longest = 16 * 1_024
    private static let longestHeader = 2 * 1_024

    let algorithm: SignatureAlgorithm
    /// Which key it says it is signed with.
    let keyID: String?
    private let signed: [UInt8]
    private let payload: [UInt8]
    private let signature: [UInt8]

    private struct Header: Decodable {
        let alg: String
        let kid: String?
        let typ: String?
        let crit: [String]?
    }

    init(_ text: String) throws(OpenIDError) {
        guard text.utf8.count <= Self.longest else { throw .badToken(.malformed) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count <= Self.longestHeader, let head = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: Data(head))
        else { throw .badToken(.malformed) }
        guard let algorithm = SignatureAlgorithm(rawValue: header.alg) else { throw .badToken(.algorithm) }
        // Tokens of other kinds are signed with the same keys, and name their kind.
        guard header.crit == nil, header.typ == nil || header.typ?.lowercased() == "jwt" else {
            throw .badToken(.malformed)
        }
        self.algorithm = algorithm
        keyID = header.kid
        signed = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
        self.payload = payload
        self.signature = signature
    }

    /// What the token says, where the key has signed it.
    func claims(signedWith key: VerificationKey) throws(OpenIDError) -> IDTokenClaims {
        guard key.algorithm == algorithm, key.isValid(signature, of: signed) else { throw .badToken(.signature) }
        guard let claims = try? JSONDecoder().decode(IDTokenClaims.self, from: Data(payload)) else {
            throw .badToken(.malformed)
        }
        return claims
    }
}
