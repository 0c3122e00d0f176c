/// Why somebody is not signed in by an issuer's word.
package enum OpenIDError: Error, Equatable, Sendable {
    /// The token proves nothing.
    case badToken(Flaw)
    /// The issuer does not know the code of a browser's attempt, or has seen it before.
    case badCode
    /// The issuer, or what it answers, cannot be used now.
    case unavailable

    /// What is wrong with a token; told to the developer who sent it.
    package enum Flaw: String, Sendable {
        case malformed = "it is no signed token"
        case algorithm = "it is not signed by RS256 or ES256"
        case unknownKey = "its key is none of the issuer's"
        case signature = "its signature is wrong"
        case issuer = "it is of another issuer"
        case audience = "it is for another app"
        case expired = "its time is over"
        case early = "its time has not come"
        case nonce = "its nonce is not the one that is given"
        case subject = "it names nobody"
    }
}
