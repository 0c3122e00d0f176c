import Postgres

/// `parley rebuild --all`, from its start to its end with the indexes and the switch, against copying the rows that
/// come out of it; both in events of the log per second. And for how long its switch holds its locks, in a log and in one
/// of a tenth of its size: whoever projects or reads a snapshot waits for that.
struct RebuildRow: BenchRow {
    private static let leastEvents = 100_000

    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        guard let own = subject.server.own else {
            throw Unmeasurable("rebuilds are measured on a server started here only: leave --server out")
        }
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let events = settings.quick ? settings.logEvents / 2 : max(settings.logEvents / 5, Self.leastEvents)
        let fill = LogFill(subject: subject, groups: groups)
        let few = events / 10
        try await fill.run("filling a tenth of the log", messages: few)
        var fewSwitches: [Double] = []
        for run in 1...settings.runs {
            fewSwitches.append(try await rebuild(own, "a tenth of the log \(run)/\(settings.runs)", subject))
        }
        try await fill.run("filling the rest of the log", messages: events - few)
        var switches: [Double] = []
        let (figures, yardsticks) = try await subject.alternate("rebuild") { label in
            try await rate(subject) {
                switches.append(try await rebuild(own, label, subject))
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
            ),
            Finding(
                .rebuild,
                "its switch holds its locks",
                switches,
                .milliseconds,
                yardstick: .init(
                    "the same, \(FigureUnit.count.text(Double(few))) messages",
                    fewSwitches,
                    .milliseconds
                )
            ),
        ]
    }

    /// - Returns: for how long the switch held its locks, in milliseconds.
    private func rebuild(_ own: MeasuredServer.Own, _ label: String, _ subject: Subject) async throws -> Double {
        subject.progress.note(label + ": parley rebuild --all")
        let command = [own.program, "rebuild", "--all", "--data-dir", own.dataDirectory]
        let output = try await LoadProcess.run(command)
        guard let time = Self.switchTime(in: output) else {
            throw Unmeasurable("parley rebuild did not say how long its switch took: \(output.suffix(200))")
        }
        return time
    }

    /// `20016 events projected in 0.7 seconds, switched in 0.0049 seconds`, in milliseconds.
    static func switchTime(in output: String) -> Double? {
        let line = output.split(separator: "\n").last { $0.contains(", switched in ") }
        guard let seconds = line?.split(separator: " ").dropLast().last.flatMap({ Double($0) }) else { return nil }
        return seconds * 1000
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
