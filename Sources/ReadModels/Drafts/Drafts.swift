package import EventStore
package import Foundation
package import Postgres

/// What people have begun to write: one text per person and conversation, sealed, of which the latest stays.
///
/// Made of no events, so a rebuild leaves it alone.
package struct Drafts: Sendable {
    private let pool: PostgresPool
    private let keyring: Keyring

    package init(pool: PostgresPool, keyring: Keyring) {
        self.pool = pool
        self.keyring = keyring
    }

    /// Keeps a text, unless there is a later one.
    ///
    /// - Parameters:
    ///   - text: nil where there is none any more.
    ///   - time: when it was written, by the device.
    package func put(_ text: String?, of person: UUID, in conversation: UUID, at time: Date) async throws {
        var sealed: SealedDraft?
        if let text {
            sealed = try await keyring.seal(draft: text, of: person, in: conversation)
            guard sealed != nil else { return }
        }
        try await pool.execute(
            """
            INSERT INTO parley.drafts AS d (person_id, conversation_id, key_id, sealed, updated_at)
            SELECT n.* FROM (
                VALUES (\(person)::uuid, \(conversation)::uuid, \(sealed?.key)::uuid,
                    \(sealed.map { Bytes($0.bytes) })::bytea, \(time)::timestamptz)
            ) AS n (person_id, conversation_id, key_id, sealed, updated_at)
            WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = n.person_id)
            ON CONFLICT (person_id, conversation_id) DO UPDATE
            SET key_id = excluded.key_id, sealed = excluded.sealed, updated_at = excluded.updated_at, written_at = now()
            WHERE excluded.updated_at >= d.updated_at
            """
        )
    }

    /// Forgets all of an erased person.
    package func forget(_ person: UUID) async throws {
        try await pool.execute("DELETE FROM parley.drafts WHERE person_id = \(person)")
    }
}
