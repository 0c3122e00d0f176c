/// Who somebody is by the word of an issuer, which was checked.
package struct IssuerIdentity: Sendable {
    package let issuer: String
    /// Who it is there, for ever.
    package let subject: String
    /// An address that the issuer says to have verified; nil where it says so of none.
    package let email: String?
    /// What the person is called there.
    package var displayName: String?

    package init(issuer: String, subject: String, email: String?, displayName: String?) {
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.displayName = displayName
    }
}

extension IssuerIdentity: CustomStringConvertible, CustomReflectable {
    /// Personal, and so kept out of logs.
    package var description: String { "<identity>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
