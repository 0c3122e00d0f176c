package import EventStore
import Foundation
package import Postgres

/// Tokens that all processes of a database share: `parley.push_tokens`.
package struct SharedPushTokens: Sendable {
    private let pool: PostgresPool
    private let keyring: Keyring

    package init(pool: PostgresPool, keyring: Keyring) {
        self.pool = pool
        self.keyring = keyring
    }

    /// The token that was made last, nil where it cannot be read any more, and when.
    func read(_ id: UUID) async throws -> (token: String?, at: Date)? {
        let rows = try await pool.query(
            "SELECT t.issued_at, t.key_id, t.sealed FROM parley.push_tokens t WHERE t.token_id = \(id)"
        )
        guard let row = rows.first else { return nil }
        let sealed = SealedDraft(
            key: try row.decode("key_id"),
            bytes: try row.decode("sealed", as: Bytes.self).bytes
        )
        let token = try await keyring.open(pushToken: sealed, of: id)
        return (token.map { String(decoding: $0, as: UTF8.self) }, try row.decode("issued_at", as: Date.self))
    }

    /// Puts a token in the place of the one that was made at a time, or of none.
    ///
    /// - Parameter issuedAt: in whole seconds.
    /// - Returns: false where somebody else was faster.
    func replace(_ id: UUID, madeAt former: Date?, by token: String, at issuedAt: Date) async throws -> Bool {
        let sealed = try await keyring.seal(pushToken: Array(token.utf8), of: id)
        let written = try await pool.execute(
            """
            INSERT INTO parley.push_tokens AS t (issued_at, token_id, key_id, sealed)
            VALUES (\(issuedAt), \(id), \(sealed.key), \(Bytes(sealed.bytes)))
            ON CONFLICT (token_id) DO UPDATE SET issued_at = excluded.issued_at, key_id = excluded.key_id,
                sealed = excluded.sealed
            WHERE t.issued_at = \(former)::timestamptz
            """
        )
        return written == 1
    }
}
