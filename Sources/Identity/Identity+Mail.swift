import CoreMetrics
import Foundation
import Postgres

extension Identity {
    /// Sends a token for a new password to whoever has this address; the same work and answer for every text.
    ///
    /// - Throws: `IdentityError.overloaded` while too many mails wait.
    package func forgotPassword(email: String) async throws {
        let id = TimeOrderedID.make(at: now())
        let sealed = try mailRecipients.seal(try? EmailAddress(email), of: id)
        let isWaiting = try await outbox.pool.withConnection { connection in
            try await outbox.add(
                id,
                .resetPassword,
                to: .sealed(sealed),
                goodFor: mailLifetimes.reset,
                on: connection
            )
        }
        guard isWaiting else {
            IdentityMetrics.mailsRefused.increment()
            throw IdentityError.overloaded
        }
    }

    /// Sets a new password by a token from a mail, and ends all sessions. It also proves the address.
    ///
    /// - Throws: `IdentityError`: `invalid` for the password, and for a token that is forged, used, expired, or older
    ///   than the account's password; `overloaded`.
    package func resetPassword(token text: Secret, new: Secret) async throws {
        let chosen = try checked { () throws(InvalidField) in try Password(choosing: new, field: "newPassword") }
        // Asked before the password is hashed, and again when it is set: a bad token must not cost a tenth of a second.
        guard let token = mailTokens.read(text.exposed, for: .resetPassword),
            try await issuedTokens.find(token, for: .resetPassword, at: now()) != nil
        else { throw Self.badToken }
        let hash = try await passwords.hash(chosen)
        let now = currentTime()
        let ended: [UUID] = try await accounts.pool.withTransaction { connection in
            guard let grant = try await issuedTokens.use(token, for: .resetPassword, at: now, on: connection),
                try await accounts.changePassword(
                    of: grant.account,
                    from: grant.passwordVersion,
                    to: hash,
                    on: connection
                )
            else { throw Self.badToken }
            try await accounts.markEmailVerified(grant.account, at: now, on: connection)
            try await notifyOfNewPassword(grant.account, on: connection)
            return try await sessions.endAll(of: grant.account, except: nil, on: connection)
        }
        for id in ended { revocations.sessionEnded(id) }
    }

    /// Proves the address of an account by a token from a mail.
    ///
    /// - Throws: `IdentityError.invalid`.
    package func verifyEmail(token text: Secret) async throws {
        guard let token = mailTokens.read(text.exposed, for: .verifyEmail) else { throw Self.badToken }
        let now = currentTime()
        try await accounts.pool.withTransaction { connection in
            guard let grant = try await issuedTokens.use(token, for: .verifyEmail, at: now, on: connection) else {
                throw Self.badToken
            }
            try await accounts.markEmailVerified(grant.account, at: now, on: connection)
        }
    }

    /// Sends the mail that proves the caller's address once more, unless that is proven or such a mail waits.
    package func resendVerification(to user: AuthenticatedUser) async throws {
        guard let contact = try await accounts.contact(of: user.userID), !contact.isVerified else { return }
        try await outbox.pool.withConnection { connection in
            try await askForVerification(of: user.userID, on: connection)
        }
    }

    /// Part of what makes an account; that too many mails wait is no reason to refuse that.
    func askForVerification(of account: UUID, on connection: PostgresConnection) async throws {
        try await outbox.add(
            TimeOrderedID.make(at: now()),
            .verifyEmail,
            to: .account(account),
            goodFor: mailLifetimes.verification,
            on: connection
        )
    }

    /// Part of what changes a password.
    func notifyOfNewPassword(_ account: UUID, on connection: PostgresConnection) async throws {
        try await outbox.add(
            TimeOrderedID.make(at: now()),
            .passwordChanged,
            to: .account(account),
            goodFor: MailLifetimes.notice,
            on: connection
        )
    }

    /// Shows the outbox in the metrics, and sweeps it.
    func maintainOutbox() async throws {
        try await outbox.sweep(keeping: mailWorker.configuration.deadLimit)
        let counts = try await outbox.counts()
        IdentityMetrics.mailsWaiting.record(counts.waiting)
        IdentityMetrics.mailsDead.record(counts.dead)
    }

    private static let badToken = IdentityError.invalid([
        InvalidField(field: "token", code: .invalid, message: "Is not, or no longer, a token that was sent.")
    ])
}
