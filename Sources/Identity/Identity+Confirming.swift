import Foundation

/// Whether it is really the caller: asked before what cannot be undone, since an access token may be stolen.
extension Identity {
    /// How long a sign-in stands for the password, which some accounts do not have.
    private static let signInCounts: TimeInterval = 5 * 60

    /// Whether the caller's session began by signing in moments ago. Refreshing begins no session.
    package func hasJustSignedIn(_ user: AuthenticatedUser) async throws -> Bool {
        guard let start = try await sessions.start(of: user.sessionID) else { return false }
        return currentTime() < start.addingTimeInterval(Self.signInCounts)
    }

    /// - Throws: `IdentityError`: `invalidCredentials` where the password is wrong or there is none, `overloaded`.
    package func confirm(_ user: AuthenticatedUser, password: Secret) async throws {
        let account = try await accounts.find(id: user.userID)
        let outcome = try await passwords.check(Password(claimed: password), against: account?.passwordHash)
        guard case .right = outcome else { throw IdentityError.invalidCredentials }
    }
}
