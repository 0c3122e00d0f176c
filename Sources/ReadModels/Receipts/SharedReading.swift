package import Foundation
import Postgres

/// Who shares what was read: whoever hides the own reading is not shown that of others.
///
/// It is asked for when receipts are shown, since it concerns nobody but the one who is shown them.
enum SharedReading {
    /// Whether a person is shown what others have read, as part of another statement.
    static func isOn(for person: UUID) -> SQL {
        "coalesce((SELECT u.read_receipts FROM read_live.users u WHERE u.user_id = \(person)), true)"
    }
}

extension Queries {
    /// Those of these people who are not shown what others have read.
    package func peopleWithoutReading(among people: Set<UUID>) async throws -> Set<UUID> {
        guard !people.isEmpty else { return [] }
        let rows = try await pool.query(
            """
            SELECT u.user_id FROM read_live.users u
            WHERE u.user_id = ANY (\(Array(people))) AND NOT u.read_receipts
            """
        )
        return Set(try rows.map { try $0.decode("user_id", as: UUID.self) })
    }
}
