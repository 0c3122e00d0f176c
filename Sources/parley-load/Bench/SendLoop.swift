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
        return try await run(figures) { turns.next() != nil }
    }

    @discardableResult
    func run(for time: Duration, figures: Figures) async throws -> Result {
        let end = ContinuousClock.now + time
        return try await run(figures) { ContinuousClock.now < end }
    }

    /// - Parameter goesOn: asked before each message.
    private func run(_ figures: Figures, while goesOn: @escaping @Sendable () -> Bool) async throws -> Result {
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
                        goesOn() ? requests.send(FreshID.make()) : nil
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
