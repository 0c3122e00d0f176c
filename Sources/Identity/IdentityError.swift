/// Why an account, a session or a token was refused. Each case is one `code` of the HTTP contract.
package enum IdentityError: Error, Equatable, Sendable {
    /// Another account has this email; told at registration only.
    case emailTaken
    /// The email or the password is wrong; never which.
    case invalidCredentials
    /// The password is right and the account is deactivated; told to nobody else.
    case deactivated
    /// The token is missing, malformed, forged, or of a session that has ended.
    case unauthenticated
    /// The access token was genuine and its time is over: refresh it.
    case tokenExpired
    /// Too many passwords wait to be hashed: 503 with `Retry-After`.
    case overloaded
    /// No cursor of the list that is asked for.
    case badCursor
    /// Fields that break a rule, at least one.
    case invalid([InvalidField])
}
