import Identity

/// A public key as issuers publish it (RFC 7517), as far as it is of use here.
struct JSONWebKey: Decodable, Sendable {
    let kty: String
    let kid: String?
    let use: String?
    let alg: String?
    let crv: String?
    let n: String?
    let e: String?
    let x: String?
    let y: String?

    func bytes(_ member: String?) -> [UInt8]? {
        member.flatMap { Base64URL.decode($0[...]) }
    }
}
