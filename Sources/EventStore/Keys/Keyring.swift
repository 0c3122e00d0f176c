import Crypto
package import Foundation
package import Postgres
import Synchronization

/// Everybody's keys: made once per person, kept wrapped by the master key, cached unwrapped in memory.
package final class Keyring: Sendable {
    private let pool: PostgresPool
    private let wrapping: SymmetricKey
    private let cache = Mutex(Cache())

    private struct Cache {
        var byPerson = TwoGenerationCache<UUID, PersonKey>(capacity: 100_000)
        var byID = TwoGenerationCache<UUID, PersonKey>(capacity: 100_000)

        mutating func insert(_ key: PersonKey) {
            byPerson.insert(key, for: key.person)
            byID.insert(key, for: key.id)
        }
    }

    package init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        wrapping = masterKey.derived(for: "parley person keys")
    }

    /// Makes a person's key where there is none yet. Idempotent.
    package func ensureKey(for person: UUID) async throws {
        let secret = SymmetricKey(size: .bits256)
        let bytes = secret.withUnsafeBytes { [UInt8]($0) }
        guard let wrapped = try AES.GCM.seal(bytes, using: wrapping, authenticating: identity(person)).combined else {
            throw CryptoKitError.incorrectParameterSize
        }
        try await pool.execute(
            """
            INSERT INTO parley.person_keys (key_id, person_id, wrapped)
            VALUES (\(UUID()), \(person), \(Bytes([UInt8](wrapped))))
            ON CONFLICT (person_id) DO NOTHING
            """
        )
    }

    /// The key of a person, or nil where there is none (any more).
    func key(of person: UUID) async throws -> PersonKey? {
        if let key = cache.withLock({ $0.byPerson.value(for: person) }) { return key }
        let rows = try await pool.query(
            "SELECT key_id, person_id, wrapped FROM parley.person_keys WHERE person_id = \(person)"
        )
        return try unwrap(rows).first
    }

    /// The keys with these ids that still exist.
    func keys(withIDs ids: Set<UUID>) async throws -> [UUID: PersonKey] {
        var found: [UUID: PersonKey] = [:]
        let missing = cache.withLock { cache in
            ids.filter { id in
                found[id] = cache.byID.value(for: id)
                return found[id] == nil
            }
        }
        guard !missing.isEmpty else { return found }
        let rows = try await pool.query(
            "SELECT key_id, person_id, wrapped FROM parley.person_keys WHERE key_id = ANY (\(Array(missing)))"
        )
        for key in try unwrap(rows) { found[key.id] = key }
        return found
    }

    private func unwrap(_ rows: Rows) throws -> [PersonKey] {
        let keys = try rows.map { row in
            let person = try row.decode("person_id", as: UUID.self)
            let box = try AES.GCM.SealedBox(combined: row.decode("wrapped", as: Bytes.self).bytes)
            let secret = try AES.GCM.open(box, using: wrapping, authenticating: identity(person))
            return PersonKey(
                id: try row.decode("key_id"),
                person: person,
                secret: SymmetricKey(data: secret)
            )
        }
        cache.withLock { cache in
            for key in keys { cache.insert(key) }
        }
        return keys
    }

    private func identity(_ person: UUID) -> [UInt8] {
        withUnsafeBytes(of: person.uuid) { Array($0) }
    }
}
