import Foundation

/// What signs a person in. The profile is elsewhere: in the log, under the same id.
struct Account: Sendable {
    let id: UUID
    let email: EmailAddress
    /// Nil for an account that signs in without a password.
    let passwordHash: Secret?
    /// One more with each password that was set.
    let passwordVersion: Int
    let isEmailVerified: Bool
    /// What is still to be told to the log, nil once it knows the person.
    let pendingProfile: PendingProfile?
    /// Whether the account is closed until it is reactivated.
    var isDeactivated = false
    /// Whether there is a password, or somebody who signs in by an issuer's word and may set one by mail.
    var mayHavePassword = true

    struct PendingProfile: Sendable {
        let displayName: String?
    }
}
