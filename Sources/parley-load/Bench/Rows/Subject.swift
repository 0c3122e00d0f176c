/// What a row works with.
struct Subject: Sendable {
    let server: MeasuredServer
    let settings: BenchSettings
    let generator: Generator
    let crowd: Crowd
    let progress: Progress

    /// The same with another server, whose people are others.
    func at(_ server: MeasuredServer) -> Subject {
        Subject(
            server: server,
            settings: settings,
            generator: generator,
            crowd: crowd.at(server.url),
            progress: progress
        )
    }

    /// Runs a measurement `settings.runs` times, its yardstick in turn with it, so that whatever drifts moves both.
    func alternate(
        _ name: String,
        figure: (String) async throws -> Double,
        yardstick: (String) async throws -> Double
    ) async throws -> (figures: [Double], yardsticks: [Double]) {
        var (figures, yardsticks): ([Double], [Double]) = ([], [])
        for run in 1...settings.runs {
            let label = "\(name) \(run)/\(settings.runs)"
            figures.append(try await figure(label))
            yardsticks.append(try await yardstick(label))
        }
        return (figures, yardsticks)
    }

    /// Runs a loop for a time, and shows how far it is.
    func drive(
        _ phase: String,
        _ plan: RequestPlan,
        over connections: Connections,
        for time: Duration
    ) async throws -> LoadResult {
        let meter = LoadMeter()
        return try await progress.follow(phase, lasting: time, meter: meter) {
            try await ClosedLoop(connections: connections, plan: plan).run(until: .after(time), meter: meter)
        }
    }

    /// Sends so many requests, and shows how far it is.
    func drive(
        _ phase: String,
        _ plan: RequestPlan,
        over connections: Connections,
        requests: Int
    ) async throws -> LoadResult {
        let meter = LoadMeter()
        return try await progress.follow(phase, total: requests, meter: meter) {
            try await ClosedLoop(connections: connections, plan: plan).run(
                until: .afterRequests(requests),
                meter: meter
            )
        }
    }

    /// Sends on schedule, shows how far it is, and takes care that all was answered and delivered.
    func drive(
        _ phase: String,
        _ loop: OpenLoop,
        streams: Streams? = nil,
        receivers: Int = 0
    ) async throws -> OpenLoop.Result {
        let meter = LoadMeter()
        let result = try await progress.follow(phase, total: loop.count, meter: meter) {
            try await loop.run(streams: streams, receivers: receivers, meter: meter)
        }
        _ = try result.answers.checked(phase)
        guard result.missing == 0 else {
            throw APIFailure.unexpected(request: phase, answer: "\(result.missing) messages reached a stream too late")
        }
        return result
    }

    /// One person's read, one at a time, as often as takes a few seconds.
    func gets(_ target: String, by person: Crowd.Person, _ phase: String) async throws -> LoadResult {
        let template = RequestTemplate(
            "GET",
            target,
            to: server.address,
            token: try await crowd.token(of: person)
        )
        let plan = RequestPlan(templates: [template])
        return try await generator.withConnections(1, to: server.address) { connection in
            _ = try await ClosedLoop(connections: connection, plan: plan).run(until: .afterRequests(20))
            let time = Duration.seconds(min(settings.seconds, 5))
            return try await drive(phase, plan, over: connection, for: time).checked(target)
        }
    }
}
