package import Postgres

/// What a table holds, in a few digits: the same rows give the same digest, in whatever order they are stored.
package struct TableDigest: Sendable, Equatable {
    package let table: ReadTable
    package let rows: Int
    package let digest: String

    /// The digests of all tables of a schema; consistent with each other where the connection is in a snapshot, or
    /// nobody writes.
    package static func read(_ schema: ReadSchema, on connection: PostgresConnection) async throws -> [TableDigest] {
        var digests: [TableDigest] = []
        for table in ReadTable.allCases { digests.append(try await read(table, in: schema, on: connection)) }
        return digests
    }

    /// As ``read(_:on:)``, on a connection that projects: reading whole tables by their indexes takes long.
    static func readAll(_ schema: ReadSchema, on connection: PostgresConnection) async throws -> [TableDigest] {
        try await connection.execute("SET LOCAL enable_seqscan = on")
        try await connection.execute("SET LOCAL statement_timeout = 0")
        return try await read(schema, on: connection)
    }

    private static func read(
        _ table: ReadTable,
        in schema: ReadSchema,
        on connection: PostgresConnection
    ) async throws -> TableDigest {
        // A sum does not depend on the order, and unlike an exclusive or it sees a row that is there twice.
        let rows = try await connection.query(
            """
            SELECT count(*) AS rows, coalesce(sum(\(hash(of: table))), 0)::text AS digest
            FROM \(table.name(in: schema)) t
            """
        )
        guard let row = rows.first else { preconditionFailure("an aggregate without groups has one row") }
        return TableDigest(table: table, rows: try row.decode("rows"), digest: try row.decode("digest"))
    }

    /// 64 bits of a row `t`. Hashing its values takes a quarter of the time that hashing their text does.
    private static func hash(of table: ReadTable) -> SQL {
        switch table {
        case .messages, .conversations, .memberships, .unreadCounts, .mentions, .mentionsOfAll, .watermarks,
            .receiptRanges, .messageVersions, .reactions, .deletedMessages, .systemMessages, .blocks, .hiddenMessages:
            "hash_record_extended(t, 0)"
        // A tsvector has no hash.
        case .users: "hashtextextended(t::text, 0)"
        // Its words come later.
        case .searchChunks:
            "hash_record_extended(ROW (t.conversation_id, t.chunk, t.partition, t.first_at, t.last_at), 0)"
        }
    }
}

/// A table of the read models before and after a rebuild.
package struct TableComparison: Sendable, Equatable {
    package let table: ReadTable
    package let rowsBefore: Int
    package let rowsAfter: Int
    /// Whether all rows are the same.
    package let isEqual: Bool

    init(_ before: TableDigest, _ after: TableDigest) {
        table = before.table
        rowsBefore = before.rows
        rowsAfter = after.rows
        isEqual = before == after
    }
}
