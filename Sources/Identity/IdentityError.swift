/// Why an account, a session or a token was refused. Each case is one `code` of the HTTP contract.
package enum IdentityError: Error, Equatable, Sendable {
    /// Another account has this email; told at registration only.
    case emailTaken
    /// The email or the password is wrong; never which.
    case invalidCredentials
    /// The token is missing, malformed, forged, or of a session that has ended.
    case unauthenticated
    /// The access token was genuine and its time is over: refresh it.
    case tokenExpired
    /// Too many passwords wait to be hashed: 503 with `Retry-After`.
    case overloaded
    /// Fields that break a rule, at least one.
    case invalid([InvalidField])
}

/// Turns the one broken rule that `check` throws into the error of the whole request.
func checked<Value>(_ check: () throws(InvalidField) -> Value) throws(IdentityError) -> Value {
    do { return try check() } catch { throw .invalid([error]) }
}

/// A field of a request that breaks a rule. Never holds the value.
package struct InvalidField: Error, Hashable, Sendable {
    /// The field's name in the request, such as `password`.
    package let field: String
    package let code: Code
    /// A sentence for the developer who reads the answer.
    package let message: String

    package enum Code: String, Sendable {
        case tooShort, tooLong, invalid
    }

    package init(field: String, code: Code, message: String) {
        self.field = field
        self.code = code
        self.message = message
    }
}
