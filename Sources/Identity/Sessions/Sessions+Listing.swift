import Foundation
import Postgres

extension Sessions {
    /// An account's live sessions, the newest first: the ids begin with the time.
    ///
    /// - Parameter before: the last one of the page before.
    func list(of account: UUID, before: UUID?, limit: Int, at now: Date) async throws -> [DeviceSession] {
        let rows = try await pool.query(
            """
            SELECT session_id, device_name, created_at, last_seen_at, is_browser
            FROM parley.sessions
            WHERE account_id = \(account) AND revoked_at IS NULL AND refresh_expires_at > \(now)
                AND (\(before)::uuid IS NULL OR session_id < \(before)::uuid)
            ORDER BY session_id DESC
            LIMIT \(limit)
            """
        )
        return try rows.map { row in
            DeviceSession(
                id: try row.decode("session_id", as: UUID.self),
                userID: account,
                deviceName: try row.decode("device_name", as: String?.self),
                createdAt: try row.decode("created_at", as: Date.self),
                lastSeenAt: try row.decode("last_seen_at", as: Date.self),
                isBrowser: try row.decode("is_browser", as: Bool.self)
            )
        }
    }

    /// When a session's person signed in; nil where it has ended.
    func start(of id: UUID) async throws -> Date? {
        let rows = try await pool.query(
            "SELECT created_at FROM parley.sessions WHERE session_id = \(id) AND revoked_at IS NULL"
        )
        return try rows.first?.decode("created_at", as: Date.self)
    }

    /// Notes when sessions were last used, all in one statement.
    ///
    /// A row that is locked is skipped: whoever holds it refreshes, which says more, or ends it. So two servers that
    /// write at once never wait for each other, let alone in a circle.
    func markSeen(_ seen: [UUID: Date]) async throws {
        guard !seen.isEmpty else { return }
        let ids = Array(seen.keys)
        try await pool.execute(
            """
            WITH seen AS (
                SELECT * FROM unnest(\(ids), \(ids.compactMap { seen[$0] })) AS seen (session_id, at)
            ), free AS (
                SELECT s.session_id, seen.at FROM parley.sessions s JOIN seen USING (session_id)
                WHERE s.last_seen_at < seen.at AND s.revoked_at IS NULL
                FOR NO KEY UPDATE OF s SKIP LOCKED
            )
            UPDATE parley.sessions s SET last_seen_at = free.at FROM free WHERE s.session_id = free.session_id
            """
        )
    }
}
