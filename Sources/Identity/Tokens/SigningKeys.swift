import Crypto
import Foundation
import Postgres

/// The table of signing keys, which all processes share.
struct SigningKeys: Sendable {
    let pool: PostgresPool
    private let wrappingKeys: [SymmetricKey]

    init(pool: PostgresPool, masterKeys: MasterKeys) {
        self.pool = pool
        wrappingKeys = masterKeys.derived(for: "signing key wrapping")
    }

    /// Loads the keys whose tokens are good; makes the first one at the very first start.
    ///
    /// - Throws: `IdentityStartError.wrongMasterKey`.
    func loadOrCreate(at now: Date) async throws -> SigningKeySet {
        if let keys = try await load(at: now) { return keys }
        try await pool.withTransaction { connection in
            try await lock(connection)
            // Two processes may start at once: the second one finds the first one's key.
            guard try await connection.query("SELECT 1 FROM parley.signing_keys LIMIT 1").isEmpty else { return }
            try await insert(SigningKey(), activatesAt: now, on: connection)
        }
        guard let keys = try await load(at: now) else { throw IdentityStartError.noSigningKey }
        return keys
    }

    /// Nil if there is no key at all.
    func load(at now: Date) async throws -> SigningKeySet? {
        let rows = try await pool.query(
            """
            SELECT key_id, wrapped_key, activates_at FROM parley.signing_keys
            WHERE verifies_until IS NULL OR verifies_until > \(now)
            """
        )
        let entries = try rows.map { row in
            SigningKeySet.Entry(key: try unwrap(row), activatesAt: try row.decode("activates_at"))
        }
        return entries.first.map { SigningKeySet($0, Array(entries.dropFirst())) }
    }

    /// Adds a key that signs from `activation` on. The others verify until `end`, or are gone at once where it is nil.
    ///
    /// - Returns: the new key's id; nil if another one waits for its time already.
    func add(activatesAt activation: Date, othersVerifyUntil end: Date?, at now: Date) async throws -> String? {
        let key = SigningKey()
        return try await pool.withTransaction { connection in
            try await lock(connection)
            if let end {
                let waiting = try await connection.query(
                    "SELECT 1 FROM parley.signing_keys WHERE activates_at > \(now) LIMIT 1"
                )
                guard waiting.isEmpty else { return nil }
                try await connection.execute(
                    "UPDATE parley.signing_keys SET verifies_until = \(end) WHERE verifies_until IS NULL"
                )
            } else {
                try await connection.execute("DELETE FROM parley.signing_keys")
            }
            try await insert(key, activatesAt: activation, on: connection)
            return key.id
        }
    }

    /// Wraps all keys under the master key.
    ///
    /// - Returns: how many there are.
    func rewrap() async throws -> Int {
        try await pool.withTransaction { connection in
            try await lock(connection)
            let rows = try await connection.query("SELECT key_id, wrapped_key FROM parley.signing_keys")
            for row in rows {
                let key = try unwrap(row)
                let wrapped = Bytes(try key.wrapped(under: wrappingKeys[0]))
                try await connection.execute(
                    "UPDATE parley.signing_keys SET wrapped_key = \(wrapped) WHERE key_id = \(key.id)"
                )
            }
            return rows.count
        }
    }

    /// Deletes keys whose last token has expired.
    func deleteOver(at now: Date) async throws {
        try await pool.execute("DELETE FROM parley.signing_keys WHERE verifies_until <= \(now)")
    }

    /// One at a time changes the keys; reading goes on.
    private func lock(_ connection: PostgresConnection) async throws {
        try await connection.execute("LOCK TABLE parley.signing_keys IN SHARE ROW EXCLUSIVE MODE")
    }

    private func insert(
        _ key: SigningKey,
        activatesAt activation: Date,
        on connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO parley.signing_keys (key_id, wrapped_key, activates_at)
            VALUES (\(key.id), \(Bytes(try key.wrapped(under: wrappingKeys[0]))), \(activation))
            """
        )
    }

    private func unwrap(_ row: Row) throws -> SigningKey {
        let id = try row.decode("key_id", as: String.self)
        let wrapped = try row.decode("wrapped_key", as: Bytes.self).bytes
        do {
            return try wrappingKeys.firstOpening { try SigningKey(wrapped: wrapped, id: id, under: $0) }
        } catch {
            throw IdentityStartError.wrongMasterKey
        }
    }
}
