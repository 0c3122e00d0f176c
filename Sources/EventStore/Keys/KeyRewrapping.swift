import Foundation
package import Postgres

/// Wraps everybody's keys under the master key that are under the other one, beside running servers.
///
/// What is done is told by the keys themselves, so that it may be cut short at any point and begun again; each key is
/// changed only as it was read, so that several may do it at once.
package struct KeyRewrapping: Sendable {
    private static let pageSize = 1_000

    private let pool: PostgresPool
    private let wrapping: KeyWrapping

    /// - Parameter pool: as the owner of the tables: the server's own role changes no key.
    package init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        wrapping = KeyWrapping(masterKey)
    }

    /// - Parameter progress: is told how many keys were looked at and how many of them changed.
    /// - Returns: how many were under the other key.
    /// - Throws: a `CryptoKitError` where one is under neither; database errors.
    package func run(progress: @Sendable (_ seen: Int, _ changed: Int) -> Void = { _, _ in }) async throws -> Int {
        var seen = 0
        var changed = 0
        var last: UUID?
        while true {
            let rows = try await pool.query(
                """
                SELECT key_id, person_id, wrapped FROM parley.person_keys
                WHERE \(last)::uuid IS NULL OR key_id > \(last)::uuid
                ORDER BY key_id LIMIT \(Self.pageSize)
                """
            )
            guard !rows.isEmpty else { return changed }
            changed += try await rewrap(rows)
            seen += rows.count
            last = try rows.last?.decode("key_id", as: UUID.self)
            progress(seen, changed)
        }
    }

    private func rewrap(_ rows: Rows) async throws -> Int {
        var ids: [UUID] = []
        var before: [Bytes] = []
        var after: [Bytes] = []
        for row in rows {
            let person = try row.decode("person_id", as: UUID.self)
            let wrapped = try row.decode("wrapped", as: Bytes.self)
            let opened = try wrapping.open(wrapped.bytes, of: person)
            guard opened.isOther else { continue }
            ids.append(try row.decode("key_id", as: UUID.self))
            before.append(wrapped)
            after.append(Bytes(try wrapping.wrap(opened.secret, of: person)))
        }
        guard !ids.isEmpty else { return 0 }
        return try await pool.execute(
            """
            UPDATE parley.person_keys k SET wrapped = x.after
            FROM unnest(\(ids), \(before), \(after)) AS x (key_id, before, after)
            WHERE k.key_id = x.key_id AND k.wrapped = x.before
            """
        )
    }
}
