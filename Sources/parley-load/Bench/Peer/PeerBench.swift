/// Saturation and latency of a peer.
struct PeerBench: Sendable {
    private static let warmUpSeconds = 3

    let peer: Peer
    let settings: BenchSettings
    let progress: Progress

    func measure() async throws -> BenchReport {
        var conditions = Conditions(settings: settings)
        conditions.peer = "\(peer.file.name) at \(peer.file.url)"
        let plan = try await peer.plan(connections: settings.connections, progress: progress)
        let (saturated, scheduled) = try await Generator.with { generator in
            try await generator.withConnections(settings.connections, to: peer.file.address) { connections in
                (try await saturate(connections, plan), try await schedule(connections, plan))
            }
        }
        let name = peer.file.name
        func latency(_ what: String, _ percent: Double) -> Finding {
            let runs = scheduled.map { $0.answers.latencies.percentile(percent) }
            let details = scheduled.first?.answers.latencies.figures ?? [:]
            return Finding(name, "answer at \(settings.rate)/s, \(what)", runs, .milliseconds, details: details)
        }
        return BenchReport(
            conditions: conditions,
            findings: [
                Finding(name, "requests, \(settings.connections) connections", saturated.map(\.rate), .perSecond),
                Finding(name, "their p50", saturated.map { $0.latencies.percentile(50) }, .milliseconds),
                Finding(name, "their p99", saturated.map { $0.latencies.percentile(99) }, .milliseconds),
                latency("p50", 50), latency("p99", 99), latency("max", 100),
            ]
        )
    }

    private func saturate(_ connections: Connections, _ plan: RequestPlan) async throws -> [LoadResult] {
        var results: [LoadResult] = []
        // The first run is a warm-up.
        for run in 0...settings.runs {
            let time = Duration.seconds(run == 0 ? Self.warmUpSeconds : settings.seconds)
            let phase = run == 0 ? "warming up" : "saturation \(run)/\(settings.runs)"
            let meter = LoadMeter()
            let result = try await progress.follow(phase, lasting: time, meter: meter) {
                try await ClosedLoop(connections: connections, plan: plan).run(until: .after(time), meter: meter)
            }
            if run > 0 { results.append(try result.checked(phase)) }
        }
        return results
    }

    private func schedule(_ connections: Connections, _ plan: RequestPlan) async throws -> [OpenLoop.Result] {
        let loop = OpenLoop(
            connections: connections,
            plan: plan,
            rate: Double(settings.rate),
            warmUp: settings.rate * Self.warmUpSeconds,
            count: settings.rate * settings.seconds
        )
        var results: [OpenLoop.Result] = []
        for run in 1...settings.runs {
            let phase = "latency \(run)/\(settings.runs)"
            let meter = LoadMeter()
            let result = try await progress.follow(phase, total: loop.count, meter: meter) {
                try await loop.run(meter: meter)
            }
            _ = try result.answers.checked(phase)
            results.append(result)
        }
        return results
    }
}
