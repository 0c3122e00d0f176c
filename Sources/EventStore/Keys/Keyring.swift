import Crypto
package import Foundation
package import Postgres

/// Everybody's keys: made once per person, kept wrapped by the master key, cached unwrapped in memory, destroyed when the
/// person is erased.
///
/// Who is in `parley.erasures` never gets a key again. The keys of those whose erasure is under way are read each time and
/// not kept, so that no process goes on using one that another has destroyed.
package final class Keyring: Sendable {
    private let pool: PostgresPool
    private let wrapping: KeyWrapping
    private let cache: EpochMemory<Cache>
    private let erased: ErasedPeople

    private struct Cache {
        var byPerson = TwoGenerationCache<UUID, PersonKey>(capacity: 100_000)
        var byID = TwoGenerationCache<UUID, PersonKey>(capacity: 100_000)

        mutating func insert(_ key: PersonKey) {
            byPerson.insert(key, for: key.person)
            byID.insert(key, for: key.id)
        }

        mutating func remove(_ person: UUID) {
            if let key = byPerson.value(for: person) { byID.remove(key.id) }
            byPerson.remove(person)
        }
    }

    /// - Parameter epoch: a key may be lost with an epoch, and must seal nothing after it.
    package init(
        pool: PostgresPool,
        masterKey: MasterKey,
        erased: ErasedPeople = ErasedPeople(),
        epoch: LogEpoch? = nil
    ) {
        self.pool = pool
        self.erased = erased
        cache = EpochMemory(epoch) { Cache() }
        wrapping = KeyWrapping(masterKey)
    }

    /// Makes a person's key where there is none yet, but for the erased. Idempotent.
    package func ensureKey(for person: UUID) async throws {
        let secret = SymmetricKey(size: .bits256)
        let bytes = secret.withUnsafeBytes { [UInt8]($0) }
        let wrapped = try wrapping.wrap(bytes, of: person)
        try await pool.execute(
            """
            INSERT INTO parley.person_keys (key_id, person_id, wrapped)
            SELECT k.* FROM (
                VALUES (\(UUID())::uuid, \(person)::uuid, \(Bytes(wrapped))::bytea)
            ) AS k (key_id, person_id, wrapped)
            WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = k.person_id)
            ON CONFLICT (person_id) DO NOTHING
            """
        )
    }

    /// Destroys a person's key for good.
    func destroy(_ person: UUID) async throws {
        forget(person)
        try await pool.execute("DELETE FROM parley.person_keys WHERE person_id = \(person)")
        // Once more: it may have been read meanwhile.
        forget(person)
    }

    /// Drops a key from memory, and keeps it out.
    func forget(_ person: UUID) {
        erased.insert(person)
        cache.withLock { $0.remove(person) }
    }

    /// The key with which a person seals, or nil where there is none (any more).
    func key(of person: UUID) async throws -> PersonKey? {
        if let key = cache.withLock({ $0.byPerson.value(for: person) }), !erased.contains(person) { return key }
        let generation = cache.generation
        let rows = try await pool.query(
            """
            SELECT \(Self.columns) FROM parley.person_keys k
            WHERE k.person_id = \(person) AND NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = k.person_id)
            """
        )
        return try unwrap(rows, of: generation).first
    }

    /// The keys with these ids that still exist, but for those of people who are known to be going: what they said is
    /// read as erased from then on, so that nothing of it comes back into memory.
    func keys(withIDs ids: Set<UUID>) async throws -> [UUID: PersonKey] {
        guard !ids.isEmpty else { return [:] }
        let generation = cache.generation
        var found = cache.withLock { cache in
            var found: [UUID: PersonKey] = [:]
            for id in ids {
                guard let key = cache.byID.value(for: id), !erased.contains(key.person) else { continue }
                found[id] = key
            }
            return found
        }
        let missing = ids.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        let rows = try await pool.query(
            "SELECT \(Self.columns) FROM parley.person_keys k WHERE k.key_id = ANY (\(Array(missing)))"
        )
        for key in try unwrap(rows, of: generation) where !erased.contains(key.person) { found[key.id] = key }
        return found
    }

    private static let columns: SQL = """
        k.key_id, k.person_id, k.wrapped,
        EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = k.person_id) AS is_going
        """

    private func unwrap(_ rows: Rows, of generation: Int) throws -> [PersonKey] {
        var kept: [PersonKey] = []
        let keys = try rows.map { row in
            let person = try row.decode("person_id", as: UUID.self)
            let wrapped = try row.decode("wrapped", as: Bytes.self).bytes
            let secret = try wrapping.open(wrapped, of: person).secret
            let key = PersonKey(
                id: try row.decode("key_id"),
                person: person,
                secret: SymmetricKey(data: secret)
            )
            if try !row.decode("is_going", as: Bool.self) { kept.append(key) }
            return key
        }
        cache.withLock(of: generation) { cache in
            for key in kept { cache.insert(key) }
        }
        return keys
    }
}
