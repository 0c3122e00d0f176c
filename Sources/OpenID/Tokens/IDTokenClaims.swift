import Foundation

/// What an ID token says (OpenID Connect Core §2), as far as it is of use here.
struct IDTokenClaims: Decodable, Sendable {
    let issuer: String
    let subject: String
    let audiences: [String]
    let authorizedParty: String?
    let expiry: Date
    let issuedAt: Date
    let notBefore: Date?
    let nonce: String?
    let email: String?
    let isEmailVerified: Bool
    let name: String?

    private enum Key: String, CodingKey {
        case iss, sub, aud, azp, exp, iat, nbf, nonce, email, name
        case emailVerified = "email_verified"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        issuer = try values.decode(String.self, forKey: .iss)
        subject = try values.decode(String.self, forKey: .sub)
        if let one = try? values.decode(String.self, forKey: .aud) {
            audiences = [one]
        } else {
            audiences = try values.decode([String].self, forKey: .aud)
        }
        authorizedParty = try values.decodeIfPresent(String.self, forKey: .azp)
        expiry = Date(timeIntervalSince1970: try values.decode(Double.self, forKey: .exp))
        issuedAt = Date(timeIntervalSince1970: try values.decode(Double.self, forKey: .iat))
        notBefore = try values.decodeIfPresent(Double.self, forKey: .nbf).map { Date(timeIntervalSince1970: $0) }
        nonce = try values.decodeIfPresent(String.self, forKey: .nonce)
        // Nothing depends on these but what an account begins with: of another type they are as good as absent.
        email = try? values.decodeIfPresent(String.self, forKey: .email)
        name = try? values.decodeIfPresent(String.self, forKey: .name)
        // Some issuers write it as a text.
        let isVerified = try? values.decodeIfPresent(Bool.self, forKey: .emailVerified)
        let word = try? values.decodeIfPresent(String.self, forKey: .emailVerified)
        isEmailVerified = isVerified == true || word == "true"
    }
}
