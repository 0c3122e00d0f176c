import NIOCore

/// Sends one message after the other, each when all streams have the one before, and notes how long that took. Or says by
/// turns that somebody is typing and has stopped, which that person's stream is not told.
struct FanOut: Sendable {
    enum Kind: Sendable {
        case messages
        case typing
    }

    /// A pause between two messages, so that nothing of the last one is still under way.
    private static let pause = TimeAmount.milliseconds(100)
    private static let patience = TimeAmount.seconds(30)

    let connection: Connections
    /// Sent by turns.
    let templates: [RequestTemplate]
    let streams: Streams
    var kind = Kind.messages

    /// Milliseconds from sending until the last stream had it, message by message.
    func run(messages: Int, meter: LoadMeter) async throws -> [Double] {
        let (templates, streams, kind) = (templates, streams, kind)
        return try await connection.perform { exchanges, promise in
            let run = FanOutRun(exchanges[0], kind, templates, streams, messages, meter, promise)
            run.start(pause: Self.pause, patience: Self.patience)
        }
    }
}

private final class FanOutRun {
    private let exchange: Exchange
    private let kind: FanOut.Kind
    private let templates: [RequestTemplate]
    private let receivers: Int
    private let listeners: StreamListeners
    private let messages: Int
    private let meter: LoadMeter
    private let promise: EventLoopPromise<[Double]>
    private let loop: any EventLoop

    private var ids = FreshIDs()
    private var buffers: [ByteBuffer]
    private var times: [Double] = []
    private var left = 0
    private var sentAt = NIODeadline.now()
    private var isOver = false

    init(
        _ exchange: Exchange,
        _ kind: FanOut.Kind,
        _ templates: [RequestTemplate],
        _ streams: Streams,
        _ messages: Int,
        _ meter: LoadMeter,
        _ promise: EventLoopPromise<[Double]>
    ) {
        self.exchange = exchange
        self.kind = kind
        self.templates = templates
        self.messages = messages
        self.meter = meter
        self.promise = promise
        loop = promise.futureResult.eventLoop
        receivers = streams.connections.count - (kind == .typing ? 1 : 0)
        listeners = streams.listeners(on: loop)
        buffers = templates.map { $0.makeBuffer() }
    }

    func start(pause: TimeAmount, patience: TimeAmount) {
        exchange.onAnswer = { [self] status in
            guard status != (kind == .messages ? 201 : 202) else { return }
            finish(.failure(APIFailure.unexpected(request: "send", answer: "\(status)")))
        }
        exchange.onEnd = { [self] in finish(.failure($0)) }
        listeners.onEnd = { [self] in finish(.failure($0)) }
        listeners.onMessage = { [self] number in
            if number == times.count { received(pause, patience) }
        }
        if kind == .typing { listeners.onTyping = { [self] in received(pause, patience) } }
        send(patience)
    }

    private func send(_ patience: TimeAmount) {
        guard !isOver else { return }
        let number = times.count
        let turn = number % templates.count
        templates[turn].fill(&buffers[turn], number: number, ids: &ids)
        left = receivers
        sentAt = .now()
        exchange.send(buffers[turn])
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: patience) {
            let run = bound.value
            guard run.times.count == number else { return }
            let answer = "\(run.left) of \(run.receivers) streams without the message"
            run.finish(.failure(APIFailure.unexpected(request: "fan-out", answer: answer)))
        }
    }

    private func received(_ pause: TimeAmount, _ patience: TimeAmount) {
        left -= 1
        if left == 0 { delivered(pause, patience) }
    }

    private func delivered(_ pause: TimeAmount, _ patience: TimeAmount) {
        times.append((.now() - sentAt).seconds * 1000)
        meter.add()
        guard times.count < messages else { return finish(.success(times)) }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: pause) { bound.value.send(patience) }
    }

    private func finish(_ end: Result<[Double], any Error>) {
        guard !isOver else { return }
        isOver = true
        (exchange.onAnswer, exchange.onEnd) = (nil, nil)
        (listeners.onMessage, listeners.onTyping, listeners.onEnd) = (nil, nil, nil)
        promise.completeWith(end)
    }
}
