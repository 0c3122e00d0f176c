package import Mail

/// The settings of mail.
package struct MailConfiguration: Sendable {
    /// Delivers; nil where there is no way to, and mails wait.
    package var mailer: Mailer?
    /// nil is of use only without a mailer.
    package var from: MailAddress?
    /// Where the app is: links in mails lead there. Without it mails hold the token alone.
    package var appURL: String?
    /// Whoever runs the server; nil where nobody is to be told of it by mail.
    package var operatorAddress: EmailAddress?
    /// How many mails this process sends in a second at most.
    package var ratePerSecond = 10
    /// How many mails may wait, of all processes; what is asked for beyond is refused.
    package var queueLimit = 10_000
    /// How many mails that could not be delivered are kept for the operator.
    package var deadLimit = 10_000
    /// How long a process may take to send a mail before another one sends it again; longer than a delivery can last.
    package var lease: Duration = .seconds(120)
    /// How often a mail is tried.
    package var attemptLimit = 12

    package init(mailer: Mailer? = nil, from: MailAddress? = nil, appURL: String? = nil) {
        self.mailer = mailer
        self.from = from
        self.appURL = appURL
    }
}
