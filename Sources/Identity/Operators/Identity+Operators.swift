package import Foundation
package import Postgres

/// Those who run the server by its API.
extension Identity {
    package var audit: AuditLog { AuditLog(pool: accounts.pool) }

    /// Whose token it is. Always asks the database, so that one that was revoked is refused at once, everywhere.
    ///
    /// - Parameters:
    ///   - beforeCheck: is called before the database is asked for one that was not right before; what it throws is thrown.
    ///   - onForgery: is called where it is nobody's.
    /// - Throws: `IdentityError.unauthenticated`.
    package func authenticate(
        operatorToken text: String,
        beforeCheck: () throws -> Void = {},
        onForgery: () -> Void = {}
    ) async throws -> Operator {
        guard let token = ProgramToken(.operator, text: text) else {
            try beforeCheck()
            onForgery()
            throw IdentityError.unauthenticated
        }
        return try await holder(
            of: token,
            id: \.id,
            beforeCheck: beforeCheck,
            beforeQuery: { _ in },
            onForgery: onForgery
        ) { try await Operators(pool: accounts.pool).find(token) }
    }

    /// Tells whoever runs the server by mail that a webhook is disabled, in the transaction that does so; does nothing where
    /// nobody is named.
    package func mailAboutDisabledWebhook(_ webhook: UUID, on connection: PostgresConnection) async throws {
        guard let address = configuration.mail.operatorAddress else { return }
        let id = TimeOrderedID.make(at: now())
        let sealed = try mailRecipients.seal(address, of: id)
        try await outbox.add(
            id,
            .webhookDisabled,
            to: .sealed(sealed),
            about: webhook,
            goodFor: MailLifetimes.notice,
            on: connection
        )
    }
}
