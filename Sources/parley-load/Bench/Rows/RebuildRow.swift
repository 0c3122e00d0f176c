import Postgres

/// `parley rebuild --all`, from its start to its end with the indexes and the switch, against copying the rows that
/// come out of it; both in events of the log per second.
struct RebuildRow: BenchRow {
    private static let leastEvents = 100_000

    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        guard let own = subject.server.own else {
            throw Unmeasurable("rebuilds are measured on a server started here only: leave --server out")
        }
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let events = settings.quick ? settings.logEvents / 2 : max(settings.logEvents / 5, Self.leastEvents)
        try await LogFill(subject: subject, groups: groups).run("filling the log", messages: events)
        let (figures, yardsticks) = try await subject.alternate("rebuild") { label in
            try await rate(subject) {
                subject.progress.note(label + ": parley rebuild --all")
                let command = [own.program, "rebuild", "--all", "--data-dir", own.dataDirectory]
                _ = try await LoadProcess.run(command)
            }
        } yardstick: { label in
            subject.progress.note(label + ": INSERT … SELECT")
            return try await copyRate(subject)
        }
        return [
            Finding(
                .rebuild,
                "parley rebuild --all, \(FigureUnit.count.text(Double(events))) messages, events",
                figures,
                .perSecond,
                yardstick: .init(
                    "INSERT … SELECT of all read models' rows, with their indexes",
                    yardsticks,
                    .perSecond
                ),
                goal: .init(.ratio, .atLeast, bar: 0.25, aim: 0.6)
            )
        ]
    }

    /// Events of the log per second of what the body does.
    private func rate(_ subject: Subject, _ body: () async throws -> Void) async throws -> Double {
        let events = try await subject.server.projectedEvents()
        let started = ContinuousClock.now
        try await body()
        return Double(events) / (ContinuousClock.now - started).seconds
    }

    private func copyRate(_ subject: Subject) async throws -> Double {
        try await subject.server.withDatabase { connection in
            let tables = try await connection.query(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = 'read_live' ORDER BY tablename"
            ).map { try $0.decode(0, as: String.self) }
            try await connection.script("DROP SCHEMA IF EXISTS parley_bench CASCADE; CREATE SCHEMA parley_bench")
            for table in tables {
                try await connection.execute(
                    """
                    CREATE TABLE parley_bench.\(identifier: table) (LIKE read_live.\(identifier: table) INCLUDING ALL)
                    """
                )
            }
            let rate = try await rate(subject) {
                for table in tables {
                    try await connection.execute(
                        """
                        INSERT INTO parley_bench.\(identifier: table) SELECT * FROM read_live.\(identifier: table)
                        """
                    )
                }
            }
            try await connection.script("DROP SCHEMA parley_bench CASCADE")
            return rate
        }
    }
}
