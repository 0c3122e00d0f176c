import Foundation
import ParleyWire
import Postgres

/// Reads `users` on a connection, alone or as part of a snapshot.
enum UserQuery {
    /// What `Profile` reads, of the table as `u`.
    static let columns: SQL =
        """
        u.user_id, u.display_name, u.photo_url, u.created_at, u.read_receipts, u.show_presence, u.time_zone, u.locale,
            u.erased
        """

    static func profile(of id: UUID, on connection: PostgresConnection) async throws -> Profile? {
        let rows = try await connection.query(
            "SELECT \(columns) FROM read_live.users u WHERE u.user_id = \(id)"
        )
        guard let row = rows.first else { return nil }
        var profile = try Profile(row)
        profile.settings.quietHours = try await QuietHoursRows.find(of: id, on: connection)
        return profile
    }

    static func summaries(
        of ids: Set<UUID>,
        on connection: PostgresConnection
    ) async throws -> [WireID: UserSummary] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await connection.query(
            """
            SELECT u.user_id, u.display_name, u.photo_url, u.erased FROM read_live.users u
            WHERE u.user_id = ANY (\(Array(ids)))
            """
        )
        var summaries: [WireID: UserSummary] = [:]
        for row in rows {
            let id = WireID(try row.decode("user_id"))
            summaries[id] = UserSummary(
                displayName: try row.decode("display_name"),
                photoURL: try row.decode("photo_url"),
                erased: try row.erased,
                isBot: id.isBot ? true : nil
            )
        }
        return summaries
    }

    /// Positions of one partition after `since`, up to `last`.
    struct Span {
        let partition: Int
        let since: Int64
        let last: Int64
    }

    /// Whose profile changed, of the caller and those who share a conversation with the caller.
    static func changes(_ spans: [Span], caller: UUID, limit: Int) -> SQL {
        """
        SELECT \(columns), u.partition, u.changed_position
        FROM unnest(
            \(spans.map { Int32(clamping: $0.partition) }), \(spans.map(\.since)), \(spans.map(\.last))
        ) AS p (partition, since, last)
        JOIN read_live.users u
            ON u.partition = p.partition AND u.changed_position > p.since AND u.changed_position <= p.last
        WHERE u.user_id = \(caller) OR EXISTS (
            SELECT FROM read_live.memberships theirs
            JOIN read_live.memberships mine ON mine.conversation_id = theirs.conversation_id
                AND mine.user_id = \(caller) AND mine.to_position IS NULL
            WHERE theirs.user_id = u.user_id)
        ORDER BY u.partition, u.changed_position
        LIMIT \(limit)
        """
    }
}

extension Row {
    /// `erased` as clients are told: true, or nothing at all.
    var erased: Bool? {
        get throws { try decode("erased", as: Bool?.self) == true ? true : nil }
    }
}
