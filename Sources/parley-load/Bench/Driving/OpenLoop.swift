import DequeModule
import NIOCore

/// Requests at a fixed rate: each is due at its time, and its latency counts from then, also where no connection was free
/// to send it. So a server that stalls is charged with all that waited for it.
struct OpenLoop: Sendable {
    let connections: Connections
    let plan: RequestPlan
    /// Per second.
    let rate: Double
    /// Requests at the beginning that are sent and not counted.
    let warmUp: Int
    /// Requests that are counted.
    let count: Int

    struct Result: Sendable {
        var answers = LoadResult()
        /// From when a message was due until a stream had it.
        var deliveries = Latencies()
        /// Deliveries that did not come.
        var missing = 0
    }

    /// - Parameters:
    ///   - streams: open streams that get the messages.
    ///   - receivers: how many of the streams get each message.
    func run(
        streams: Streams? = nil,
        receivers: Int = 0,
        meter: LoadMeter = LoadMeter()
    ) async throws -> Result {
        let loop = self
        return try await connections.perform { exchanges, promise in
            OpenLoopRun(loop, exchanges, streams, receivers, meter, promise).start()
        }
    }
}

private final class OpenLoopRun {
    /// How long answers and deliveries may take after the last request was due.
    private static let patience = TimeAmount.seconds(15)

    private let plan: RequestPlan
    private let schedule: Schedule
    private let warmUp: Int
    private let total: Int
    private let exchanges: [Exchange]
    private let listeners: StreamListeners?
    private let meter: LoadMeter
    private let promise: EventLoopPromise<OpenLoop.Result>
    private let loop: any EventLoop

    private var ids = FreshIDs()
    private var buffers: [ByteBuffer]
    /// What each connection sent last.
    private var sent: [Int]
    private var idle: Deque<Int>
    private var next = 0
    private var isTimed = false
    private var answersLeft: Int
    private var deliveriesLeft: Int
    private var isOver = false
    private var result = OpenLoop.Result()

    init(
        _ open: OpenLoop,
        _ exchanges: [Exchange],
        _ streams: Streams?,
        _ receivers: Int,
        _ meter: LoadMeter,
        _ promise: EventLoopPromise<OpenLoop.Result>
    ) {
        self.exchanges = exchanges
        self.meter = meter
        self.promise = promise
        plan = open.plan
        loop = promise.futureResult.eventLoop
        schedule = Schedule(start: .now() + .milliseconds(100), rate: open.rate)
        warmUp = open.warmUp
        total = open.warmUp + open.count
        listeners = streams?.listeners(on: loop)
        buffers = plan.templates.map { $0.makeBuffer() }
        sent = exchanges.map { _ in 0 }
        idle = Deque(exchanges.indices)
        answersLeft = total
        deliveriesLeft = total * receivers
    }

    func start() {
        for (connection, exchange) in exchanges.enumerated() {
            exchange.onAnswer = { [self] status in answered(connection, status) }
            exchange.onEnd = { [self] error in finish(.failure(error)) }
        }
        listeners?.onMessage = { [self] in delivered($0) }
        listeners?.onEnd = { [self] in finish(.failure($0)) }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(deadline: schedule.due(total) + Self.patience) { bound.value.giveUp() }
        sendDue()
    }

    /// Sends what is due, as far as connections are free, and comes back when the next is due.
    private func sendDue() {
        while next < total, let connection = idle.first {
            let due = schedule.due(next)
            guard due <= .now() else { return wait(until: due) }
            idle.removeFirst()
            let template = plan.template(connection: connection, number: next)
            template.fill(&buffers[connection], number: next, ids: &ids)
            sent[connection] = next
            next += 1
            exchanges[connection].send(buffers[connection])
        }
    }

    private func wait(until due: NIODeadline) {
        guard !isTimed, !isOver else { return }
        isTimed = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(deadline: due) {
            bound.value.isTimed = false
            bound.value.sendDue()
        }
    }

    private func answered(_ connection: Int, _ status: Int) {
        let number = sent[connection]
        if !plan.success.contains(status) {
            result.answers.failures[status, default: 0] += 1
        } else if number >= warmUp {
            result.answers.answered += 1
            result.answers.latencies.record(nanoseconds: (.now() - schedule.due(number)).nanoseconds)
            meter.add()
        }
        answersLeft -= 1
        idle.append(connection)
        sendDue()
        finishIfDone()
    }

    private func delivered(_ number: Int) {
        guard (0..<total).contains(number) else { return }
        deliveriesLeft -= 1
        if number >= warmUp {
            result.deliveries.record(nanoseconds: (.now() - schedule.due(number)).nanoseconds)
        }
        finishIfDone()
    }

    private func finishIfDone() {
        guard answersLeft == 0, deliveriesLeft <= 0 else { return }
        result.answers.answering = (.now() - schedule.due(warmUp)).seconds
        result.answers.projected = result.answers.answering
        finish(.success(result))
    }

    private func giveUp() {
        guard !isOver else { return }
        guard answersLeft == 0 else {
            let answer = "\(answersLeft) of \(total) without an answer"
            return finish(.failure(APIFailure.unexpected(request: "open loop", answer: answer)))
        }
        result.missing = deliveriesLeft
        finish(.success(result))
    }

    private func finish(_ end: Swift.Result<OpenLoop.Result, any Error>) {
        guard !isOver else { return }
        isOver = true
        for exchange in exchanges { (exchange.onAnswer, exchange.onEnd) = (nil, nil) }
        listeners?.onMessage = nil
        listeners?.onEnd = nil
        promise.completeWith(end)
    }
}
