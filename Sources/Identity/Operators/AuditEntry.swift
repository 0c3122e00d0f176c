package import Foundation

/// What an operator did.
package struct AuditEntry: Sendable, Hashable {
    package let number: Int64
    package let at: Date
    /// The operator's name; of who gives a command on the machine, `console:` and the account's name.
    package let `operator`: String
    /// What was done, such as `bot.create`.
    package let action: String
    /// With what: an id or a name, never a secret.
    package let target: String?
}
