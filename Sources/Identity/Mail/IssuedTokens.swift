import Foundation
import Postgres

/// The table of tokens that were sent by mail.
struct IssuedTokens: Sendable {
    let pool: PostgresPool

    /// Whom a token speaks for.
    struct Grant: Sendable {
        let account: UUID
        /// The account's password when the token was made.
        let passwordVersion: Int
    }

    /// Enters a token, or gives it its full time once more when its mail is sent again; a used one stays used.
    func issue(_ token: MailToken, for purpose: MailKind, to account: Account, until expiry: Date) async throws {
        try await pool.execute(
            """
            INSERT INTO parley.mail_tokens AS t (token_hash, account_id, purpose, expires_at, password_version)
            VALUES (\(token.hash), \(account.id), \(purpose.rawValue), \(expiry), \(account.passwordVersion))
            ON CONFLICT ON CONSTRAINT mail_tokens_pkey DO UPDATE SET expires_at = excluded.expires_at
            WHERE t.used_at IS NULL
            """
        )
    }

    /// Whom a token speaks for, while it is good; changes nothing.
    func find(_ token: MailToken, for purpose: MailKind, at now: Date) async throws -> Grant? {
        let rows = try await pool.query(
            """
            SELECT t.account_id, t.password_version
            FROM parley.mail_tokens t JOIN parley.accounts a USING (account_id)
            WHERE t.token_hash = \(token.hash) AND t.purpose = \(purpose.rawValue)
                AND t.used_at IS NULL AND t.expires_at > \(now)
                AND (t.purpose <> 'resetPassword' OR t.password_version = a.password_version)
            """
        )
        return try rows.first.map(Self.grant)
    }

    /// Uses a token up; nil if it is no longer good. Of several who try at once, one succeeds.
    func use(
        _ token: MailToken,
        for purpose: MailKind,
        at now: Date,
        on connection: PostgresConnection
    ) async throws -> Grant? {
        let rows = try await connection.query(
            """
            UPDATE parley.mail_tokens SET used_at = \(now)
            WHERE token_hash = \(token.hash) AND purpose = \(purpose.rawValue)
                AND used_at IS NULL AND expires_at > \(now)
            RETURNING account_id, password_version
            """
        )
        return try rows.first.map(Self.grant)
    }

    private static func grant(_ row: Row) throws -> Grant {
        Grant(
            account: try row.decode("account_id", as: UUID.self),
            passwordVersion: try row.decode("password_version", as: Int.self)
        )
    }

    /// Deletes tokens that are over, a bounded number at a time.
    ///
    /// Not before every mail that could hold them was sent or given up: until then a used one must be known as used.
    func deleteOver(at now: Date) async throws -> Int {
        try await pool.execute(
            """
            DELETE FROM parley.mail_tokens WHERE token_hash IN (
                SELECT token_hash FROM parley.mail_tokens
                WHERE expires_at < \(now.addingTimeInterval(-2 * 86_400))
                LIMIT 1000)
            """
        )
    }
}
