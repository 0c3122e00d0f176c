import Crypto
import Foundation
import Postgres

/// The table of signing keys, which all processes share.
struct SigningKeys: Sendable {
    let pool: PostgresPool
    private let wrappingKey: SymmetricKey

    init(pool: PostgresPool, masterKey: SymmetricKey) {
        self.pool = pool
        wrappingKey = masterKey.derived(for: "signing key wrapping")
    }

    /// Loads the keys; makes the signing one at the very first start.
    ///
    /// - Throws: `IdentityStartError.wrongMasterKey`.
    func loadOrCreate() async throws -> SigningKeySet {
        if let keys = try await load() { return keys }
        let key = SigningKey()
        // Two processes may start at once: one index allows one signing key, and both load that.
        try await pool.execute(
            """
            INSERT INTO parley.signing_keys (key_id, wrapped_key)
            VALUES (\(key.id), \(Bytes(try key.wrapped(under: wrappingKey))))
            ON CONFLICT DO NOTHING
            """
        )
        guard let keys = try await load() else { throw IdentityStartError.noSigningKey }
        return keys
    }

    /// Nil if there is no signing key.
    private func load() async throws -> SigningKeySet? {
        let rows = try await pool.query(
            "SELECT key_id, wrapped_key, retired_at IS NULL AS signs FROM parley.signing_keys"
        )
        var signing: SigningKey?
        var retired: [SigningKey] = []
        for row in rows {
            let key = try unwrap(row)
            if try row.decode("signs", as: Bool.self) { signing = key } else { retired.append(key) }
        }
        return signing.map { SigningKeySet(signing: $0, retired: retired) }
    }

    private func unwrap(_ row: Row) throws -> SigningKey {
        let id = try row.decode("key_id", as: String.self)
        let wrapped = try row.decode("wrapped_key", as: Bytes.self).bytes
        do {
            return try SigningKey(wrapped: wrapped, id: id, under: wrappingKey)
        } catch {
            throw IdentityStartError.wrongMasterKey
        }
    }
}
