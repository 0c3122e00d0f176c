import Logging
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

    let database: PostgresConfiguration
    /// How many steps are taken at once.
    let workers: Int
    let logger: Logger

    /// - Parameter connection: tells how large the tables are.
    /// - Throws: the database's errors, of class 23 where some row is one that an index refuses.
    func run(_ late: LateIndexes, on connection: PostgresConnection) async throws {
        let tables = try await tables(late, on: connection)
        var connections: [PostgresConnection] = []
        let result: Result<Void, any Error>
        do {
            for _ in 0..<max(1, workers) {
                let worker = try await PostgresConnection.connect(database, logger: logger)
                connections.append(worker)
                try await worker.execute("SET ROLE parley_owner")
                try await worker.execute("SET statement_timeout = 0")
                // A third of the usual sample, which takes less time while everybody waits: autovacuum takes the whole one when a
                // tenth of the rows is new.
                try await worker.execute("SET default_statistics_target = 30")
            }
            try await complete(tables, on: connections)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        for worker in connections { await worker.close() }
        try result.get()
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
    private func complete(_ tables: [Table], on connections: [PostgresConnection]) async throws {
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
                        try await connection.script(step.script)
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
