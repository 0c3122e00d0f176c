/// A field of a request that breaks a rule. Never holds the value.
package struct InvalidField: Error, Hashable, Sendable {
    /// The field's name in the request, such as `password`.
    package let field: String
    package let code: Code
    /// A sentence for the developer who reads the answer.
    package let message: String

    package enum Code: String, Sendable {
        case tooShort, tooLong, invalid, reserved
    }

    package init(field: String, code: Code, message: String) {
        self.field = field
        self.code = code
        self.message = message
    }
}

/// Turns the one broken rule that `check` throws into the error of the whole request.
func checked<Value>(_ check: () throws(InvalidField) -> Value) throws(IdentityError) -> Value {
    do { return try check() } catch { throw .invalid([error]) }
}
