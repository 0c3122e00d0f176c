import NIOPosix
import ParleyWire

/// Sends on schedule, whatever the server does, and notes when each stream has each message.
struct LatencyRun: Sendable {
    let stage: BenchStage
    let rate: Int
    let connections: Int
    let textLength: Int

    struct Result: Sendable {
        let sent: Int
        let toStream: Figures
        let answers: Figures
    }

    private let due = Locked<[WireID: ContinuousClock.Instant]>([:])

    init(stage: BenchStage, rate: Int, connections: Int, textLength: Int) {
        self.stage = stage
        self.rate = rate
        self.connections = connections
        self.textLength = textLength
    }

    func run(seconds: Int) async throws -> Result {
        let count = rate * seconds
        let result = Result(sent: count, toStream: Figures(), answers: Figures())
        let readers = try await openReaders(result.toStream)
        let turns = Turns(count)
        let start = ContinuousClock.now + .milliseconds(200)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<connections {
                // The first person of each group sends; the others listen.
                let requests = try await stage.requests(
                    connection: number % stage.groups.count,
                    textLength: textLength
                )
                tasks.addTask { try await send(requests, turns, from: start, answers: result.answers) }
            }
            try await tasks.waitForAll()
        }
        let deadline = ContinuousClock.now + .seconds(5)
        while result.toStream.count < count * 2, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        readers.forEach { $0.cancel() }
        return result
    }

    /// Takes turns, each at its time: a server that is late does not slow the clock, and is counted as late.
    private func send(
        _ requests: SendRequests,
        _ turns: Turns,
        from start: ContinuousClock.Instant,
        answers: Figures
    ) async throws {
        let connection = try await RawConnection.open(requests.address, on: MultiThreadedEventLoopGroup.singleton)
        while let turn = turns.next() {
            let time = start + .seconds(1) / rate * turn
            try await Task.sleep(until: time, tolerance: .zero)
            let id = FreshID.make()
            due.with { $0[id] = time }
            let response = try await connection.send(requests.send(id))
            if response.status == 201 {
                answers.add(.now - time)
            } else {
                answers.addFailure(status: response.status)
            }
        }
        await connection.close()
    }

    /// Opens a stream for the second and the third person of each group.
    private func openReaders(_ figures: Figures) async throws -> [Task<Void, any Error>] {
        var readers: [Task<Void, any Error>] = []
        for group in stage.groups {
            for person in group.people.dropFirst() {
                let reader = BenchReader(client: stage.client, http: stage.http, account: person)
                readers.append(
                    try await reader.open { id, now in
                        if let time = due.with({ $0[id] }) { figures.add(now - time) }
                    }
                )
            }
        }
        return readers
    }
}
