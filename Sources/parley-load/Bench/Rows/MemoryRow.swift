/// What an idle stream costs the server in memory: its resident size with and without so many of them, each of another
/// person in a group of 50. One run: a process gives back little of what it had, so a second would find memory to reuse.
struct MemoryRow: BenchRow {
    private static let groupSize = 50
    private static let pause = Duration.seconds(3)

    func measure(_ subject: Subject) async throws -> [Finding] {
        let allowed = FileLimit.raise()
        let count = min(subject.settings.idleConnections, allowed)
        if count < subject.settings.idleConnections {
            subject.progress.note("only \(count) connections: ulimit -n allows no more")
        }
        let people = try await subject.crowd.people(count)
        let members = stride(from: 0, to: count, by: Self.groupSize).map { start in
            // The last ones may be too few for a group.
            Array((start + 3 <= count ? people[start...] : people[max(count - 3, 0)...]).prefix(Self.groupSize))
        }
        _ = try await subject.crowd.groups(members)
        let openings = try await subject.crowd.openings(people)
        let figure = try await perStream(openings, subject, to: subject.server.address) {
            try await ResidentMemory.read(subject.server)
        }
        let yardstick = try await BareServer.with { bare in
            try await perStream(openings, subject, to: bare.address) { try ResidentMemory.read(process: bare.pid) }
        }
        return [
            Finding(
                .memory,
                "per idle SSE connection, of \(count)",
                [figure],
                .kilobytes,
                yardstick: .init("bare Hummingbird SSE route", [yardstick], .kilobytes),
                goal: .init(.figure, .atMost, bar: 40, aim: 20)
            )
        ]
    }

    /// Kilobytes (1,024 bytes).
    private func perStream(
        _ openings: [Streams.Opening],
        _ subject: Subject,
        to address: ServerAddress,
        _ memory: @Sendable () async throws -> Int
    ) async throws -> Double {
        try await Task.sleep(for: Self.pause)
        let before = try await memory()
        subject.progress.note("opening \(openings.count) streams at port \(address.port)")
        return try await Streams.with(openings, to: address, by: subject.generator) { _ in
            try await Task.sleep(for: Self.pause)
            return Double(try await memory() - before) / Double(openings.count) / 1024
        }
    }
}
