/// Durable sends until they are projected, by one, two and three processes on a database: how many, and what each process and
/// PostgreSQL use of the cores for one. Each group is written to through all of them, as behind a proxy.
struct ProcessesRow: BenchRow {
    private static let most = 3

    private struct Run {
        let rate: Double
        /// Microseconds per send.
        let processes: [Double]
        let postgres: Double
    }

    func measure(_ subject: Subject) async throws -> [Finding] {
        try await measure(subject, [])
    }

    /// All stages stand beside each other, so that runs can alternate: one that nothing is sent to costs next to nothing.
    private func measure(_ subject: Subject, _ stages: [(StagedProcesses, [Crowd.Group])]) async throws -> [Finding] {
        guard stages.count < Self.most else { return try await compare(subject, stages) }
        let roles = [StagedProcess.Role](repeating: .serve, count: stages.count + 1)
        return try await StagedProcesses.with(roles, for: subject) { staged in
            let groups = try await staged.subject.crowd.groups(subject.settings.groups, of: 3)
            return try await measure(subject, stages + [(staged, groups)])
        }
    }

    private func compare(_ subject: Subject, _ stages: [(StagedProcesses, [Crowd.Group])]) async throws -> [Finding] {
        let settings = subject.settings
        var runs = [[Run]](repeating: [], count: stages.count)
        for (staged, groups) in stages { _ = try await run("warming up", staged, groups, seconds: 1) }
        for number in 1...settings.runs {
            for (place, (staged, groups)) in stages.enumerated() {
                let label = "processes \(number)/\(settings.runs): \(place + 1)"
                runs[place].append(try await run(label, staged, groups, seconds: settings.seconds))
            }
        }
        return runs.enumerated().flatMap { place, found in findings(place + 1, found, beside: runs[0]) }
    }

    private func findings(_ count: Int, _ runs: [Run], beside one: [Run]) -> [Finding] {
        let name = count == 1 ? "one process" : "\(count) processes"
        func yardstick(_ values: (Run) -> Double, _ unit: FigureUnit) -> Finding.Yardstick? {
            count == 1 ? nil : .init("one process", one.map(values), unit)
        }
        var details = ["PostgreSQL, µs per send": Statistics.median(runs.map(\.postgres))]
        for process in 0..<count {
            details["process \(process + 1), µs per send"] = Statistics.median(runs.map { $0.processes[process] })
        }
        func processes(_ run: Run) -> Double { run.processes.reduce(0, +) }
        return [
            Finding(
                .processes,
                "durable sends until projected, \(name)",
                runs.map(\.rate),
                .perSecond,
                yardstick: yardstick(\.rate, .perSecond),
                details: details
            ),
            Finding(
                .processes,
                "CPU of \(name) per send",
                runs.map(processes),
                .microseconds,
                yardstick: yardstick(processes, .microseconds)
            ),
            Finding(
                .processes,
                "CPU of PostgreSQL per send, \(name)",
                runs.map(\.postgres),
                .microseconds,
                yardstick: yardstick(\.postgres, .microseconds)
            ),
        ]
    }

    private func run(
        _ phase: String,
        _ staged: StagedProcesses,
        _ groups: [Crowd.Group],
        seconds: Int
    ) async throws -> Run {
        let (subject, addresses) = (staged.subject, staged.processes.map(\.address))
        let connections = max(subject.settings.connections / addresses.count, 1)
        let before = try staged.processorTimes()
        let parts = try await concurrentMap(Array(addresses.enumerated()), width: addresses.count) { place, address in
            let plan = try await subject.crowd.sends(
                into: groups,
                connections: connections,
                to: address,
                textLength: subject.settings.textLength
            )
            return try await subject.generator.withConnections(connections, to: address) { open in
                // Only one of them shows how far it is.
                guard place > 0 else {
                    return try await subject.drive(phase, plan, over: open, for: .seconds(seconds)).checked("send")
                }
                return try await ClosedLoop(connections: open, plan: plan).run(until: .after(.seconds(seconds)))
                    .checked("send")
            }
        }
        let after = try staged.processorTimes()
        let sends = Double(max(parts.reduce(0) { $0 + $1.answered }, 1))
        return Run(
            rate: parts.reduce(0) { $0 + $1.rate },
            processes: zip(after.processes, before.processes).map { ($0 - $1) / sends * 1e6 },
            postgres: (after.postgres - before.postgres) / sends * 1e6
        )
    }
}
