import Glibc

/// How long a server that is told to stop takes to end its streams in order, beside the notice that it gives first.
struct ShutdownRow: BenchRow {
    /// A little below what the server lets in (`--max-connections`).
    private static let maximum = 9_900
    private static let notice = 1.0
    private static let patience = Duration.seconds(120)

    func measure(_ subject: Subject) async throws -> [Finding] {
        guard let pid = subject.server.pid, subject.server.own != nil else {
            throw Unmeasurable("ends the server: only one that was started here")
        }
        let count = min(subject.settings.idleConnections * 8 / 5, Self.maximum, FileLimit.raise() - 200)
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
