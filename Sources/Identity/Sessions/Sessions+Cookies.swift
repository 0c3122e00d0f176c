import Foundation
import Postgres

extension Sessions {
    /// Whose session a genuine cookie holds, if it lives.
    ///
    /// - Parameter lifetime: that of an access token.
    func find(_ token: CookieToken, at now: Date, lifetime: TimeInterval) async throws -> CookieFinding {
        let rows = try await pool.query(
            """
            SELECT account_id, refresh_hash, refresh_expires_at FROM parley.sessions
            WHERE session_id = \(token.sessionID) AND is_browser AND revoked_at IS NULL
            """
        )
        guard let row = rows.first, try row.decode("refresh_hash", as: Bytes.self).bytes == token.hash else {
            return .over
        }
        let expiry = try row.decode("refresh_expires_at", as: Date.self)
        guard now < expiry else { return .over }
        return .live(
            CookieFinding.Live(
                of: try row.decode("account_id"),
                session: token.sessionID,
                until: expiry,
                askedAt: now,
                lifetime: lifetime
            )
        )
    }

    /// Begins the time of a cookie's session anew; false where it has ended.
    func extend(_ token: CookieToken, to expiry: Date, at now: Date) async throws -> Bool {
        let extended = try await pool.execute(
            """
            UPDATE parley.sessions SET refreshed_at = \(now), refresh_expires_at = \(expiry)
            WHERE session_id = \(token.sessionID) AND is_browser AND revoked_at IS NULL
                AND refresh_hash = \(Bytes(token.hash)) AND refresh_expires_at > \(now)
            """
        )
        return extended == 1
    }
}
