import NIOPosix

/// A closed loop: each connection sends its next message when the last is answered.
struct SendLoop {
    let stage: BenchStage
    let connections: Int
    let textLength: Int

    struct Result {
        let figures: Figures
        /// Until the last answer.
        let answered: Duration
        /// Until the projectors had it all, too.
        let projected: Duration
    }

    func run(messages: Int, figures: Figures = Figures()) async throws -> Result {
        let turns = Turns(messages)
        let last = Locked<[Int: String]>([:])
        var open: [(RawConnection, SendRequests)] = []
        for number in 0..<connections {
            let requests = try await stage.requests(connection: number, textLength: textLength)
            let connection = try await RawConnection.open(
                requests.address,
                on: MultiThreadedEventLoopGroup.singleton
            )
            open.append((connection, requests))
        }
        let started = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (number, (connection, requests)) in open.enumerated() {
                tasks.addTask {
                    try await connection.sendAll {
                        turns.next().map { _ in requests.send(FreshID.make()) }
                    } onAnswer: { response, duration in
                        guard response.status == 201 else { return figures.addFailure(status: response.status) }
                        figures.add(duration)
                        if let position = response.position { last.with { $0[number] = position } }
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let answered = ContinuousClock.now - started
        try await stage.settle(last.with { Array($0.values) })
        let projected = ContinuousClock.now - started
        for (connection, _) in open { await connection.close() }
        return Result(figures: figures, answered: answered, projected: projected)
    }
}
