import Postgres

/// Makes new tables, once they are full, fit for readers: their late indexes, and statistics, without which queries plan
/// badly.
struct TableCompletion: Sendable {
    private struct Table: Sendable {
        let indexes: [String]
        /// What comes after the indexes, as it needs the table for itself.
        let ending: String
    }

    private struct Step: Sendable {
        let table: Int
        let script: String
    }

    /// Each script is a transaction, in which these hold, as its session does other work before and after. A third of the
    /// usual sample takes less time while everybody waits: autovacuum takes the whole one when a tenth of the rows is new.
    private static let settings = """
        SET LOCAL ROLE parley_owner;
        SET LOCAL statement_timeout = 0;
        SET LOCAL default_statistics_target = 30;

        """

    /// Each takes one step at a time.
    let connections: [PostgresConnection]

    /// - Parameter connection: tells how large the tables are.
    /// - Throws: the database's errors, of class 23 where some row is one that an index refuses.
    func run(_ late: LateIndexes, on connection: PostgresConnection) async throws {
        try await complete(try await tables(late, on: connection))
    }

    /// The largest first: what takes longest must not begin last.
    private func tables(_ late: LateIndexes, on connection: PostgresConnection) async throws -> [Table] {
        let rows = try await connection.query(
            """
            SELECT c.relname::text AS relation, format('ANALYZE %s', c.oid::regclass) AS analysis
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = \(ReadSchema.next.name) AND c.relkind = 'r'
            ORDER BY pg_table_size(c.oid) DESC, c.relname
            """
        )
        return try rows.map { row in
            let name: String = try row.decode("relation")
            let makings = late.makings[name]
            var ending = makings?.constraints ?? []
            if ReadTable(rawValue: name) != nil { ending.append(try row.decode("analysis")) }
            return Table(indexes: makings?.indexes ?? [], ending: ending.joined(separator: ";\n"))
        }
    }

    /// Indexes of one table are made side by side, and whatever must not run beside them begins when all of them are there:
    /// so no connection waits for another's lock.
    private func complete(_ tables: [Table]) async throws {
        try await withThrowingTaskGroup(of: (PostgresConnection, Int).self) { group in
            var idle = connections
            var left = tables.map(\.indexes.count)
            var steps = tables.enumerated().flatMap { table, work -> [Step] in
                let scripts = work.indexes.isEmpty ? [work.ending] : work.indexes
                return scripts.filter { !$0.isEmpty }.map { Step(table: table, script: $0) }
            }
            while true {
                while !steps.isEmpty, let connection = idle.popLast() {
                    let step = steps.removeFirst()
                    group.addTask {
                        try await connection.script(Self.settings + step.script)
                        return (connection, step.table)
                    }
                }
                guard let (connection, table) = try await group.next() else { return }
                idle.append(connection)
                left[table] -= 1
                if left[table] == 0, !tables[table].ending.isEmpty {
                    steps.insert(Step(table: table, script: tables[table].ending), at: 0)
                }
            }
        }
    }
}
