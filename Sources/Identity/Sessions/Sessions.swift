import Foundation
import Logging
import Postgres

/// The table of sessions, each with the hash of the refresh token or cookie that holds it.
///
/// A session's row is the one lock for all that may happen to it at once: refreshing, reuse of an old token, revoking.
struct Sessions: Sendable {
    let pool: PostgresPool
    let refreshTokens: RefreshTokens
    let revocations: Revocations
    /// How many may live in one account.
    let limit: Int
    let logger: Logger

    /// Starts a session, and ends the one that was unseen the longest where the account has too many; nil if the
    /// account's password is no longer the one that was checked, or the account was closed or taken away.
    func start(
        for account: UUID,
        passwordVersion: Int,
        deviceName: String?,
        at now: Date
    ) async throws -> (DeviceSession, RefreshToken)? {
        let session = DeviceSession(
            id: TimeOrderedID.make(at: now),
            userID: account,
            deviceName: deviceName,
            createdAt: now,
            lastSeenAt: now
        )
        let token = refreshTokens.first(of: session.id)
        let hasStarted = try await insert(session, heldBy: token.hash, passwordVersion: passwordVersion)
        return hasStarted ? (session, token) : nil
    }

    /// Starts a session that whoever shows the secret of this hash holds; false where ``start`` would be nil.
    func insert(_ session: DeviceSession, heldBy hash: [UInt8], passwordVersion: Int) async throws -> Bool {
        let now = session.createdAt
        let ended: [UUID]? = try await pool.withTransaction { connection in
            // The lock orders this with a change of the password, which ends sessions, and with other logins, so that
            // the limit is exact.
            let accounts = try await connection.query(
                """
                SELECT 1 FROM parley.accounts
                WHERE account_id = \(session.userID) AND password_version = \(passwordVersion)
                    AND deactivated_at IS NULL
                FOR NO KEY UPDATE
                """
            )
            guard !accounts.isEmpty else { return nil }
            try await connection.execute(
                """
                INSERT INTO parley.sessions (
                    session_id, account_id, device_name, created_at, last_seen_at,
                    refresh_hash, refreshed_at, refresh_expires_at, is_browser)
                VALUES (
                    \(session.id), \(session.userID), \(session.deviceName), \(now), \(now),
                    \(Bytes(hash)), \(now), \(refreshTokens.expiry(of: now)), \(session.isBrowser))
                """
            )
            return try await endUnseen(of: session.userID, except: session.id, at: now, on: connection)
        }
        guard let ended else { return false }
        for id in ended { revocations.sessionEnded(id) }
        return true
    }

    private func endUnseen(
        of account: UUID,
        except new: UUID,
        at now: Date,
        on connection: PostgresConnection
    ) async throws -> [UUID] {
        let rows = try await connection.query(
            """
            UPDATE parley.sessions SET revoked_at = clock_timestamp()
            WHERE session_id IN (
                SELECT session_id FROM parley.sessions
                WHERE account_id = \(account) AND session_id <> \(new)
                    AND revoked_at IS NULL AND refresh_expires_at > \(now)
                ORDER BY last_seen_at DESC, session_id DESC
                OFFSET \(limit - 1))
            RETURNING session_id
            """
        )
        return try rows.map { try $0.decode("session_id", as: UUID.self) }
    }

    /// Trades a refresh token for its successor, by the rules of `RefreshVerdict`.
    ///
    /// - Throws: `IdentityError.unauthenticated`; a reused token has then ended its session.
    func refresh(_ token: RefreshToken, at now: Date) async throws -> (DeviceSession, RefreshToken) {
        let successors = refreshTokens.successors(of: token)
        let judged = try await pool.withTransaction { connection in
            try await judge(token, successor: successors[0], at: now, on: connection)
        }
        guard let (session, verdict, current) = judged else { throw IdentityError.unauthenticated }
        switch verdict {
        case .rotate:
            return (session, successors[0])
        case .repeatSuccessor:
            // None where it was made under a master key that is gone: nobody can make it again.
            guard let made = successors.first(where: { $0.hash == current }) else {
                throw IdentityError.unauthenticated
            }
            return (session, made)
        case .expired:
            throw IdentityError.unauthenticated
        case .reuse:
            revocations.sessionEnded(session.id)
            logger.warning("a refresh token was used again: session ended", metadata: ["session": "\(session.id)"])
            throw IdentityError.unauthenticated
        }
    }

    private func judge(
        _ token: RefreshToken,
        successor: RefreshToken,
        at now: Date,
        on connection: PostgresConnection
    ) async throws -> (DeviceSession, RefreshVerdict, current: [UInt8])? {
        // The lock makes simultaneous refreshes wait for each other: the first rotates, the others repeat its answer.
        let rows = try await connection.query(
            """
            SELECT account_id, device_name, created_at, refresh_hash, previous_refresh_hash, refresh_expires_at
            FROM parley.sessions
            WHERE session_id = \(token.sessionID) AND revoked_at IS NULL
            FOR UPDATE
            """
        )
        guard let row = rows.first else { return nil }
        let session = DeviceSession(
            id: token.sessionID,
            userID: try row.decode("account_id", as: UUID.self),
            deviceName: try row.decode("device_name", as: String?.self),
            createdAt: try row.decode("created_at", as: Date.self),
            lastSeenAt: now
        )
        let family = RefreshVerdict.Family(
            current: try row.decode("refresh_hash", as: Bytes.self).bytes,
            previous: try row.decode("previous_refresh_hash", as: Bytes?.self)?.bytes,
            expiresAt: try row.decode("refresh_expires_at", as: Date.self)
        )
        let verdict = RefreshVerdict(on: token.hash, of: family, at: now)
        switch verdict {
        case .rotate:
            try await connection.execute(
                """
                UPDATE parley.sessions SET refresh_hash = \(Bytes(successor.hash)),
                    previous_refresh_hash = refresh_hash, refreshed_at = \(now), last_seen_at = \(now),
                    refresh_expires_at = \(refreshTokens.expiry(of: now))
                WHERE session_id = \(session.id)
                """
            )
        case .reuse:
            try await connection.execute(Self.revocation(of: session.id))
        case .repeatSuccessor, .expired:
            break
        }
        return (session, verdict, family.current)
    }

    /// Ends a session: its tokens are refused at once here, and within a second by other processes.
    func end(_ id: UUID) async throws {
        try await pool.execute(Self.revocation(of: id))
        revocations.sessionEnded(id)
    }

    /// Ends a session of an account; false if the account never had it. Ended once more, it stays ended.
    func end(_ id: UUID, of account: UUID) async throws -> Bool {
        let ended = try await pool.execute(
            """
            UPDATE parley.sessions SET revoked_at = coalesce(revoked_at, clock_timestamp())
            WHERE session_id = \(id) AND account_id = \(account)
            """
        )
        if ended == 1 { revocations.sessionEnded(id) }
        return ended == 1
    }

    /// Ends an account's sessions, but for one. Once the transaction is committed, `Revocations` is to be told of them.
    func endAll(of account: UUID, except kept: UUID?, on connection: PostgresConnection) async throws -> [UUID] {
        let rows = try await connection.query(
            """
            UPDATE parley.sessions SET revoked_at = clock_timestamp()
            WHERE account_id = \(account) AND revoked_at IS NULL AND session_id IS DISTINCT FROM \(kept)
            RETURNING session_id
            """
        )
        return try rows.map { try $0.decode("session_id", as: UUID.self) }
    }

    /// The database's clock, which `Revocations` compares it with.
    private static func revocation(of id: UUID) -> SQL {
        """
        UPDATE parley.sessions SET revoked_at = clock_timestamp()
        WHERE session_id = \(id) AND revoked_at IS NULL
        """
    }

    /// Deletes sessions that can do nothing any more, a bounded number at a time.
    ///
    /// Revoked ones stay for a day, longer than any access token lives: `Revocations` finds them here.
    func deleteDead() async throws -> Int {
        try await pool.execute(
            """
            DELETE FROM parley.sessions WHERE session_id IN (
                SELECT session_id FROM parley.sessions
                WHERE revoked_at < now() - interval '1 day' OR refresh_expires_at < now() - interval '1 day'
                LIMIT 1000)
            """
        )
    }
}
