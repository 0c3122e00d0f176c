/// What a mail is about; stored by name.
enum MailKind: String, Sendable {
    /// Holds a token that proves that the owner of the account reads the mails of its address.
    case verifyEmail
    /// Holds a token that sets a new password.
    case resetPassword
    /// Tells the owner what happened.
    case passwordChanged
    /// Tells the owner that an issuer's word opens the account, too.
    case accountLinked
    /// Tells whoever runs the server that a webhook took nothing for days.
    case webhookDisabled
}
