/// Why a mail was not delivered.
package struct MailError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether another try may go better; false where the server said for good that it does not take this mail.
    package let isPassing: Bool
    /// For the operator. Never an address, a text, or the server's own words, which quote both.
    package let description: String

    package init(isPassing: Bool, _ description: String) {
        self.isPassing = isPassing
        self.description = description
    }

    static let busy = MailError(isPassing: true, "too many mails wait")
}
