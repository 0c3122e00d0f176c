import Foundation
import ParleyWire
import Postgres

/// Reads `users` on a connection, alone or as part of a snapshot.
enum UserQuery {
    /// What `Profile` reads, of the table as `u`.
    static let columns: SQL =
        "u.user_id, u.display_name, u.photo_url, u.created_at, u.read_receipts, u.time_zone, u.locale"

    static func profile(of id: UUID, on connection: PostgresConnection) async throws -> Profile? {
        let rows = try await connection.query(
            "SELECT \(columns) FROM read_live.users u WHERE u.user_id = \(id)"
        )
        return try rows.first.map(Profile.init)
    }

    static func summaries(
        of ids: Set<UUID>,
        on connection: PostgresConnection
    ) async throws -> [WireID: UserSummary] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await connection.query(
            """
            SELECT u.user_id, u.display_name, u.photo_url FROM read_live.users u
            WHERE u.user_id = ANY (\(Array(ids)))
            """
        )
        var summaries: [WireID: UserSummary] = [:]
        for row in rows {
            summaries[WireID(try row.decode("user_id"))] = UserSummary(
                displayName: try row.decode("display_name"),
                photoURL: try row.decode("photo_url")
            )
        }
        return summaries
    }
}
