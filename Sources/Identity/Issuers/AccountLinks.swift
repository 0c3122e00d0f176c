import Foundation
import Postgres

/// The table of accounts that an issuer's word opens.
struct AccountLinks: Sendable {
    let pool: PostgresPool

    func account(of identity: IssuerIdentity) async throws -> UUID? {
        let rows = try await pool.query(
            """
            SELECT account_id FROM parley.account_links
            WHERE issuer = \(identity.issuer) AND subject = \(identity.subject)
            """
        )
        return try rows.first?.decode("account_id", as: UUID.self)
    }

    /// The account with an address, and whether that is proved; it stays as it is until the transaction ends.
    static func lockedAccount(
        with email: EmailAddress,
        on connection: PostgresConnection
    ) async throws -> (id: UUID, isProved: Bool)? {
        let rows = try await connection.query(
            """
            SELECT account_id, email_verified_at IS NOT NULL AS is_proved FROM parley.accounts
            WHERE \(Accounts.has(email))
            FOR NO KEY UPDATE
            """
        )
        return try rows.first.map { (id: try $0.decode("account_id"), isProved: try $0.decode("is_proved")) }
    }

    /// False where the subject has an account, or the account another subject.
    static func add(
        _ identity: IssuerIdentity,
        to account: UUID,
        on connection: PostgresConnection
    ) async throws -> Bool {
        let added = try await connection.execute(
            """
            INSERT INTO parley.account_links (issuer, subject, account_id)
            VALUES (\(identity.issuer), \(identity.subject), \(account))
            ON CONFLICT DO NOTHING
            """
        )
        return added == 1
    }
}
