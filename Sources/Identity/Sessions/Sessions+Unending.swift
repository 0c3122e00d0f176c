import Crypto
import Foundation
import Postgres

extension Sessions {
    /// A session that lasts until it is revoked, and that no refresh token opens: nobody knows the one that has this hash.
    static func insertUnending(
        _ id: UUID,
        of account: UUID,
        named name: String?,
        at now: Date,
        on connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO parley.sessions (
                session_id, account_id, device_name, created_at, last_seen_at,
                refresh_hash, refreshed_at, refresh_expires_at)
            VALUES (
                \(id), \(account), \(name), \(now), \(now),
                \(Bytes(SymmetricKey(size: .bits256).bytes)), \(now), 'infinity')
            """
        )
    }
}
