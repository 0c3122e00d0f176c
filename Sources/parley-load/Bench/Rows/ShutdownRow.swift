import Glibc

/// How long a server that is told to stop takes to end its streams in order, beside the notice that it gives first.
struct ShutdownRow: BenchRow {
    private static let most = 10_000
    /// What its server lets in: the streams, and what prepares them.
    private static let connections = 11_000
    private static let notice = 1.0
    private static let patience = Duration.seconds(120)

    func measure(_ subject: Subject) async throws -> [Finding] {
        guard let own = subject.server.own else {
            throw Unmeasurable("starts a server of its own, which lets in more, and ends it: leave --server out")
        }
        let staged = try StagedServer(like: own, lettingIn: Self.connections)
        return try await staged.with { server in try await end(subject.at(server)) }
    }

    private func end(_ subject: Subject) async throws -> [Finding] {
        guard let pid = subject.server.pid else { throw Unmeasurable("needs the server's process") }
        let wished = min(subject.settings.idleConnections * 2, Self.most)
        let count = min(wished, FileLimit.raise())
        if count < wished { subject.progress.note("only \(count) connections: ulimit -n allows no more") }
        let openings = try await subject.crowd.openings(try await subject.crowd.people(count))
        let seconds = try await Streams.with(openings, to: subject.server.address, by: subject.generator) { streams in
            let start = ContinuousClock.now
            kill(pid, SIGTERM)
            while try await streams.state().ends < count {
                try await Task.sleep(for: .milliseconds(20))
                guard ContinuousClock.now - start < Self.patience else {
                    let ends = try await streams.state().ends
                    throw APIFailure.unexpected(request: "SIGTERM", answer: "\(ends) of \(count) streams ended")
                }
            }
            return (ContinuousClock.now - start) / .seconds(1)
        }
        return [
            Finding(
                .shutdown,
                "\(FigureUnit.count.text(Double(count))) streams ended in order, after the notice of 1 s",
                [(seconds - Self.notice) * 1_000],
                .milliseconds,
                goal: Goal(.figure, .atMost, bar: 5_000, aim: 2_000)
            )
        ]
    }
}
