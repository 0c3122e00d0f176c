import Foundation

/// What an access token says (RFC 7519 §4.1, RFC 9068 §2.2).
struct AccessTokenClaims: Codable, Sendable {
    let iss: String
    let aud: String
    /// The person.
    let sub: UUID
    /// The session.
    let sid: UUID
    let iat: Int64
    let nbf: Int64
    let exp: Int64
    /// Makes every token different, so that none can be guessed from another of the same second.
    let jti: UUID

    var issuedAt: Date { Date(timeIntervalSince1970: TimeInterval(iat)) }
    var notBefore: Date { Date(timeIntervalSince1970: TimeInterval(nbf)) }
    var expiry: Date { Date(timeIntervalSince1970: TimeInterval(exp)) }
}

extension AccessTokenClaims {
    init(decoding json: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json))
    }

    func encoded() throws -> Data {
        try JSONEncoder().encode(self)
    }
}
