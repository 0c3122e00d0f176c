import Foundation
import Postgres

extension Identity {
    /// Changes the caller's password and ends all the other sessions.
    ///
    /// - Throws: `IdentityError`: `invalidCredentials` where the current password is wrong or there is none, `invalid`,
    ///   `overloaded`.
    package func changePassword(of user: AuthenticatedUser, current: Secret, new: Secret) async throws {
        let chosen = try checked { () throws(InvalidField) in try Password(choosing: new, field: "newPassword") }
        let account = try await accounts.find(id: user.userID)
        let outcome = try await passwords.check(Password(claimed: current), against: account?.passwordHash)
        guard case .right = outcome, let account else { throw IdentityError.invalidCredentials }
        let hash = try await passwords.hash(chosen)
        let ended: [UUID]? = try await accounts.pool.withTransaction { connection in
            guard
                try await accounts.changePassword(
                    of: account.id,
                    from: account.passwordVersion,
                    to: hash,
                    on: connection
                )
            else { return nil }
            try await notifyOfNewPassword(account.id, on: connection)
            return try await sessions.endAll(of: account.id, except: user.sessionID, on: connection)
        }
        // The password was changed since it was checked, so that what was checked is the current one no longer.
        guard let ended else { throw IdentityError.invalidCredentials }
        for id in ended { revocations.sessionEnded(id) }
    }
}
