import Postgres

/// Statements that go to the database together, and what their rows mean.
struct LogQuery<Answer> {
    let statements: [SQL]
    /// Reads the rows, one result per statement.
    let answer: ([Rows]) throws -> Answer

    func run(on connection: PostgresConnection) async throws -> Answer {
        try answer(try await connection.batch(statements))
    }

    /// Both at once.
    func and<Other>(_ other: LogQuery<Other>) -> LogQuery<(Answer, Other)> {
        LogQuery<(Answer, Other)>(statements: statements + other.statements) {
            [answer, count = statements.count] rows in
            guard rows.count >= count else { throw UnexpectedAnswer() }
            return (try answer(Array(rows.prefix(count))), try other.answer(Array(rows.dropFirst(count))))
        }
    }
}

extension LogQuery {
    /// A statement for each partition, about those of the items that are there.
    ///
    /// With the partition as one value PostgreSQL opens that part of the log alone; a list of partitions, which it knows
    /// only when it runs, has it plan and open all of them each time.
    ///
    /// - Parameter answer: reads the rows of each partition, with the places of its items.
    static func perPartition<Item>(
        _ items: [Item],
        of partition: (Item) -> Int,
        statement: (Int32, [Item]) -> SQL,
        answer: @escaping ([(places: [Int], rows: Rows)]) throws -> Answer
    ) -> LogQuery {
        let groups = Dictionary(grouping: items.indices, by: { partition(items[$0]) }).sorted { $0.key < $1.key }
        return LogQuery(
            statements: groups.map { partition, places in
                statement(Int32(clamping: partition), places.map { items[$0] })
            }
        ) { rows in
            guard rows.count == groups.count else { throw UnexpectedAnswer() }
            return try answer(zip(groups, rows).map { ($0.value, $1) })
        }
    }
}
