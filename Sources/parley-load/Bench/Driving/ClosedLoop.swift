import NIOCore

/// Saturation: each connection sends its next request as soon as the last one is answered.
struct ClosedLoop: Sendable {
    enum End: Sendable {
        case after(Duration)
        case afterRequests(Int)
    }

    let connections: Connections
    let plan: RequestPlan

    func run(until end: End, meter: LoadMeter = LoadMeter()) async throws -> LoadResult {
        let plan = plan
        let before = ProcessorTime.own
        var result = try await connections.perform { exchanges, promise in
            ClosedLoopRun(exchanges, plan, end, meter, promise).start()
        }
        result.generating = ProcessorTime.own - before
        return result
    }
}

private final class ClosedLoopRun {
    private let exchanges: [Exchange]
    private let plan: RequestPlan
    private let meter: LoadMeter
    private let promise: EventLoopPromise<LoadResult>
    private let deadline: NIODeadline
    private let limit: Int

    private var ids = FreshIDs()
    private var buffers: [ByteBuffer]
    /// How many each connection has sent.
    private var turns: [Int]
    private var sentAt: [NIODeadline]
    private var number = 0
    private var sending: Int
    private var unprojected = 0
    private var started: NIODeadline
    private var result = LoadResult()

    /// How long the read models may take at the end.
    private static let patience = TimeAmount.minutes(5)

    init(
        _ exchanges: [Exchange],
        _ plan: RequestPlan,
        _ end: ClosedLoop.End,
        _ meter: LoadMeter,
        _ promise: EventLoopPromise<LoadResult>
    ) {
        self.exchanges = exchanges
        self.plan = plan
        self.meter = meter
        self.promise = promise
        buffers = plan.templates.map { $0.makeBuffer() }
        turns = exchanges.map { _ in 0 }
        let now = NIODeadline.now()
        started = now
        sentAt = exchanges.map { _ in now }
        sending = exchanges.count
        switch end {
        case .after(let duration): (deadline, limit) = (now + TimeAmount(duration), Int.max)
        case .afterRequests(let count): (deadline, limit) = (.distantFuture, count)
        }
    }

    func start() {
        for (connection, exchange) in exchanges.enumerated() {
            exchange.onAnswer = { [self] status in answered(connection, status) }
            exchange.onEnd = { [self] error in fail(error) }
        }
        started = .now()
        for connection in exchanges.indices { sendNext(connection, at: started) }
    }

    private func sendNext(_ connection: Int, at now: NIODeadline) {
        guard number < limit, now < deadline else { return rest(connection, at: now) }
        let template = plan.template(connection: connection, number: number, turn: turns[connection])
        turns[connection] += 1
        if plan.interruption != nil || plan.turns > 1 { buffers[connection] = template.makeBuffer() }
        template.fill(&buffers[connection], number: number, ids: &ids)
        number += 1
        sentAt[connection] = now
        exchanges[connection].send(buffers[connection])
    }

    private func answered(_ connection: Int, _ status: Int) {
        let now = NIODeadline.now()
        if plan.success.contains(status) {
            result.answered += 1
            result.latencies.record(nanoseconds: (now - sentAt[connection]).nanoseconds)
            meter.add()
        } else {
            result.failures[status, default: 0] += 1
        }
        sendNext(connection, at: now)
    }

    private func rest(_ connection: Int, at now: NIODeadline) {
        sending -= 1
        guard sending == 0 else { return }
        result.answering = (now - started).seconds
        awaitProjections()
    }

    private func awaitProjections() {
        for (connection, request) in (plan.projectionRequests ?? []).enumerated() {
            guard let position = exchanges[connection].position else { continue }
            unprojected += 1
            let bytes = request.bytes(position: position)
            exchanges[connection].onAnswer = { [self] status in projectionAnswered(connection, status, bytes) }
        }
        guard unprojected > 0 else { return finish() }
        // All are told first what to wait for: an answer may come while the last is still being sent.
        for (connection, request) in (plan.projectionRequests ?? []).enumerated() {
            guard let position = exchanges[connection].position else { continue }
            exchanges[connection].send(request.bytes(position: position))
        }
    }

    private func projectionAnswered(_ connection: Int, _ status: Int, _ request: ByteBuffer) {
        if status == 503, .now() - started < TimeAmount.seconds(Int64(result.answering)) + Self.patience {
            return exchanges[connection].send(request)
        }
        guard status == 200 else {
            return fail(APIFailure.unexpected(request: "waiting for the projectors", answer: "\(status)"))
        }
        unprojected -= 1
        if unprojected == 0 { finish() }
    }

    private func finish() {
        result.projected = (.now() - started).seconds
        release()
        promise.succeed(result)
    }

    private func fail(_ error: any Error) {
        release()
        promise.fail(error)
    }

    private func release() {
        for exchange in exchanges { (exchange.onAnswer, exchange.onEnd) = (nil, nil) }
    }
}

extension TimeAmount {
    var seconds: Double { Double(nanoseconds) / 1e9 }
}
