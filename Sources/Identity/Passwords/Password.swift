import Foundation

/// A password as it is hashed: NFC (RFC 8265 §4.2.2), so that the same keys typed on another system give the same
/// bytes. Nothing else is changed, and nothing is cut off.
struct Password: Sendable {
    let text: Secret

    /// A new password, whose length must be right.
    ///
    /// - Parameter field: the name of the request's field.
    init(choosing password: Secret, field: String = "password") throws(InvalidField) {
        let count = password.exposed.unicodeScalars.count
        guard count >= 8 else {
            throw InvalidField(field: field, code: .tooShort, message: "Has fewer than 8 characters.")
        }
        guard count <= 256 else {
            throw InvalidField(field: field, code: .tooLong, message: "Has more than 256 characters.")
        }
        self.init(normalising: password)
    }

    /// A password to compare; nil if no account can have it.
    init?(claimed password: Secret) {
        try? self.init(choosing: password)
    }

    private init(normalising password: Secret) {
        text = Secret(password.exposed.precomposedStringWithCanonicalMapping)
    }
}
