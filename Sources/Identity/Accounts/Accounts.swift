import Foundation
import Postgres

/// The table of accounts.
struct Accounts: Sendable {
    let pool: PostgresPool

    /// Makes an account; nil if the email has one.
    func insert(
        email: EmailAddress,
        isVerified: Bool = false,
        passwordHash: Secret?,
        displayName: String?,
        at now: Date,
        on connection: PostgresConnection
    ) async throws -> Account? {
        let id = TimeOrderedID.make(at: now)
        let inserted = try await connection.execute(
            """
            INSERT INTO parley.accounts (
                account_id, email, password_hash, pending_display_name, created_at, email_verified_at)
            SELECT \(id), \(email.text), \(passwordHash?.exposed)::text, \(displayName)::text, \(now)::timestamptz,
                \(isVerified ? now : nil)::timestamptz
            WHERE NOT EXISTS (SELECT FROM parley.accounts WHERE email = ANY (\(email.spellings)))
            ON CONFLICT ON CONSTRAINT accounts_email_key DO NOTHING
            """
        )
        guard inserted == 1 else { return nil }
        return Account(
            id: id,
            email: email,
            passwordHash: passwordHash,
            passwordVersion: 0,
            isEmailVerified: isVerified,
            pendingProfile: Account.PendingProfile(displayName: displayName)
        )
    }

    /// Makes an account that signs in without a password, if it does at all.
    static func insert(_ account: Account, at now: Date, on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO parley.accounts (account_id, email, pending_display_name, created_at)
            VALUES (\(account.id), \(account.email.text), \(account.pendingProfile?.displayName), \(now))
            """
        )
    }

    func find(email: EmailAddress) async throws -> Account? {
        try await find(where: Self.has(email))
    }

    /// Of two accounts that differ in how the domain is written, from before that was one, the one that is written so.
    static func has(_ email: EmailAddress) -> SQL {
        """
        email = (
            SELECT x.email FROM parley.accounts x WHERE x.email = ANY (\(email.spellings))
            ORDER BY array_position(\(email.spellings), x.email) DESC LIMIT 1)
        """
    }

    func find(id: UUID) async throws -> Account? {
        try await find(where: "account_id = \(id)")
    }

    private func find(where condition: SQL) async throws -> Account? {
        let rows = try await pool.query(
            """
            SELECT account_id, email, password_hash, password_version, email_verified_at IS NOT NULL AS is_verified,
                profile_registered, pending_display_name, deactivated_at IS NOT NULL AS is_deactivated,
                \(Self.mayHavePassword) AS may_have_password
            FROM parley.accounts a
            WHERE \(condition)
            """
        )
        guard let row = rows.first else { return nil }
        let isRegistered = try row.decode("profile_registered", as: Bool.self)
        return Account(
            id: try row.decode("account_id", as: UUID.self),
            email: EmailAddress(stored: try row.decode("email", as: String.self)),
            passwordHash: try row.decode("password_hash", as: String?.self).map { Secret($0) },
            passwordVersion: try row.decode("password_version", as: Int.self),
            isEmailVerified: try row.decode("is_verified", as: Bool.self),
            pendingProfile: isRegistered
                ? nil : Account.PendingProfile(displayName: try row.decode("pending_display_name", as: String?.self)),
            isDeactivated: try row.decode("is_deactivated"),
            mayHavePassword: try row.decode("may_have_password")
        )
    }

    /// Closes an account or opens it again; false where there is none.
    static func setDeactivated(
        _ isDeactivated: Bool,
        _ id: UUID,
        on connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE parley.accounts
            SET deactivated_at = CASE WHEN \(isDeactivated) THEN coalesce(deactivated_at, clock_timestamp()) END
            WHERE account_id = \(id)
            """
        ) > 0
    }

    func deactivated(among ids: [UUID]) async throws -> Set<UUID> {
        let rows = try await pool.query(
            "SELECT account_id FROM parley.accounts WHERE account_id = ANY(\(ids)) AND deactivated_at IS NOT NULL"
        )
        return Set(try rows.map { try $0.decode(0) })
    }

    func id(of email: EmailAddress) async throws -> UUID? {
        let rows = try await pool.query("SELECT account_id FROM parley.accounts WHERE \(Self.has(email))")
        return try rows.first?.decode("account_id", as: UUID.self)
    }

    func contact(of id: UUID) async throws -> AccountContact? {
        let rows = try await pool.query(
            "SELECT email, email_verified_at IS NOT NULL AS is_verified FROM parley.accounts WHERE account_id = \(id)"
        )
        return try rows.first.map { row in
            AccountContact(email: try row.decode("email"), isVerified: try row.decode("is_verified"))
        }
    }

    func markEmailVerified(_ id: UUID, at now: Date, on connection: PostgresConnection) async throws {
        try await connection.execute(
            "UPDATE parley.accounts SET email_verified_at = \(now) WHERE account_id = \(id) AND email_verified_at IS NULL"
        )
    }

    /// The log knows the person; from now on it alone keeps the name.
    func markProfileRegistered(_ id: UUID) async throws {
        try await pool.execute(
            """
            UPDATE parley.accounts SET profile_registered = true, pending_display_name = NULL
            WHERE account_id = \(id)
            """
        )
    }

    /// Swaps the hash of the same password, unless the password was changed meanwhile.
    func replaceHash(of id: UUID, old: Secret, new: Secret) async throws {
        try await pool.execute(
            """
            UPDATE parley.accounts SET password_hash = \(new.exposed)
            WHERE account_id = \(id) AND password_hash = \(old.exposed)
            """
        )
    }

    /// Of the account `a`.
    private static let mayHavePassword: SQL = """
        (a.password_hash IS NOT NULL OR EXISTS (SELECT 1 FROM parley.account_links l WHERE l.account_id = a.account_id))
        """

    /// Sets another password; false if that was done since `version` was read, or the account is closed to passwords.
    ///
    /// The row stays locked until the transaction ends: sessions that a login starts come before or after it.
    func changePassword(
        of id: UUID,
        from version: Int,
        to hash: Secret,
        on connection: PostgresConnection
    ) async throws
        -> Bool
    {
        let changed = try await connection.execute(
            """
            UPDATE parley.accounts a SET password_hash = \(hash.exposed), password_version = password_version + 1
            WHERE account_id = \(id) AND password_version = \(version) AND \(Self.mayHavePassword)
            """
        )
        return changed == 1
    }
}
