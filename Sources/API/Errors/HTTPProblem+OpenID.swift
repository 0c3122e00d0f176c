import Edge
import Identity
import OpenID
import ParleyWire

extension HTTPProblem {
    init(_ error: OpenIDError) {
        switch error {
        case .badToken(let flaw):
            self.init(.invalidCredentials, "The ID token does not count here: \(flaw.rawValue).")
        case .badCode:
            self.init(.invalidCredentials, "The issuer does not know this attempt to sign in.")
        case .unavailable:
            self.init(.unavailable, "The issuer cannot be asked now.")
        }
    }

    init(_ refusal: LinkRefusal) {
        switch refusal {
        case .noVerifiedEmail:
            self.init(.forbidden, "The issuer names no email address that it has verified.")
        case .addressUnproved:
            self.init(
                .emailTaken,
                "An account has this email address and has not verified it: sign in with its password, or set a new one by "
                    + "mail, and verify the address; then the issuer opens it, too."
            )
        case .addressOfAnother:
            self.init(.emailTaken, "The account with this email address belongs to somebody else at the issuer.")
        }
    }
}
