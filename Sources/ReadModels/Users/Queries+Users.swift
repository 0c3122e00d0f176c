package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    package func user(_ id: UUID) async throws -> User? {
        try await profile(of: id)?.user
    }

    /// Those of these people that there are.
    package func users(_ ids: [UUID]) async throws -> [UUID: User] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await pool.query(
            "SELECT \(UserQuery.columns) FROM read_live.users u WHERE u.user_id = ANY (\(ids))"
        )
        var users: [UUID: User] = [:]
        for row in rows {
            let profile = try Profile(row)
            users[profile.id] = profile.user
        }
        return users
    }

    package func summaries(of ids: Set<UUID>) async throws -> [WireID: UserSummary] {
        try await pool.withConnection { try await UserQuery.summaries(of: ids, on: $0) }
    }

    package func profile(of id: UUID) async throws -> Profile? {
        try await pool.withConnection { try await UserQuery.profile(of: id, on: $0) }
    }

    /// One person as the directory finds people; nil where the account is closed.
    package func directoryEntry(_ id: UUID) async throws -> User? {
        let rows = try await pool.query(
            """
            SELECT \(UserQuery.columns) FROM read_live.users u
            WHERE u.user_id = \(id) AND NOT u.deactivated AND NOT u.erased
            """
        )
        return try rows.first.map { try Profile($0).user }
    }

    /// People by name: those in whose name every word of the query begins a word; without words, everyone with a name.
    /// Where there is nobody, those whose names are spelled much like the query, the likest first, in one page.
    ///
    /// - Throws: ``BadCursor``.
    package func directory(
        matching query: String?,
        excluding caller: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> ListPage<User> {
        let limit = Self.clamped(limit)
        let everyone: SQL = "u.sort_name IS NOT NULL AND NOT u.deactivated AND u.user_id <> \(caller)"
        var filter = everyone
        var asked: DirectoryName?
        if let query, !query.allSatisfy(\.isWhitespace) {
            // A query without a single letter or digit finds nobody.
            asked = DirectoryName(query)
            guard let words = asked?.prefixQuery else { return ListPage(items: [], nextCursor: nil) }
            filter += " AND u.words @@ \(words)::text::tsquery"
        }
        if let cursor {
            var reader = try PageCursorReader(cursor, .directory)
            let id = try reader.id()
            filter += " AND (u.sort_name, u.user_id) > (\(try reader.text()), \(id))"
        }
        let rows = try await pool.query(
            """
            SELECT \(UserQuery.columns), u.sort_name FROM read_live.users u WHERE \(filter)
            ORDER BY u.sort_name, u.user_id
            LIMIT \(limit + 1)
            """
        )
        if rows.isEmpty, cursor == nil, let asked {
            let users = try await directory(spelledLike: asked, where: everyone, limit: limit)
            return ListPage(items: users, nextCursor: nil)
        }
        let page = try rows.prefix(limit).map { try Profile($0).user }
        guard rows.count > limit, let last = rows.prefix(limit).last else {
            return ListPage(items: page, nextCursor: nil)
        }
        let next = PageCursor(.directory).appending(try last.decode("user_id", as: UUID.self))
            .appending(try last.decode("sort_name", as: String.self))
        return ListPage(items: page, nextCursor: next.text)
    }

    /// Whose profile changed between two sets of positions, of the caller and those who are or were in conversations of the
    /// caller: the history names those who have left, too.
    ///
    /// - Returns: by partition and position, each person once, with the newest profile; who changed again later than
    ///   `last` is left out. At most `limit`.
    package func peopleChanged(
        since positions: [Int64],
        upTo last: [Int64],
        sharingWith caller: UUID,
        limit: Int
    ) async throws -> [PersonChange] {
        let spans = zip(positions, last).enumerated().compactMap { partition, span in
            span.0 < span.1 ? UserQuery.Span(partition: partition, since: span.0, last: span.1) : nil
        }
        guard !spans.isEmpty else { return [] }
        let rows = try await pool.query(UserQuery.changes(spans, caller: caller, limit: limit))
        return try rows.map { row in
            PersonChange(
                user: try Profile(row).user,
                partition: try row.decode("partition"),
                position: try row.decode("changed_position")
            )
        }
    }
}

/// A person whose profile changed.
package struct PersonChange: Sendable, Equatable {
    package let user: User
    package let partition: Int
    package let position: Int64
}
