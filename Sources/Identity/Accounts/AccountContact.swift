/// How an account's owner is reached.
package struct AccountContact: Sendable {
    package let email: String
    /// Whether the owner has proved to read the mails of that address.
    package let isVerified: Bool
}

extension AccountContact: CustomStringConvertible, CustomReflectable {
    /// Personal, and so kept out of logs.
    package var description: String { "<email address>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
