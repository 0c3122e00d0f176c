import NIOCore
import ParleyWire

/// What the streams of one run hear; lives on the generator's event loop.
final class StreamListeners {
    /// Gets the number of each message, once per stream that has it.
    var onMessage: ((Int) -> Void)?
    /// Called once per stream that is told that somebody is typing, or has stopped.
    var onTyping: (() -> Void)?
    /// A stream has ended, which none should.
    var onEnd: ((any Error) -> Void)?

    private(set) var scanners: [StreamScanner]
    /// When the last stream was ready.
    private(set) var readyAt: NIODeadline?

    /// Streams that were refused and asked for again.
    private(set) var refusals = 0
    /// Streams that have ended.
    var ends: Int { over.count }

    private var over: Set<Int> = []

    private static let openingsPerSecond: Int64 = 1_000
    /// All connections are there before the first stream is asked for, and a server closes one that asks for nothing within
    /// 10 s (`--header-deadline`): many are asked for in so many milliseconds, however many they are.
    private static let longestOpening: Int64 = 8_000

    private let exchanges: [Exchange]
    private var waiting: Int
    private var opening: EventLoopPromise<NIOLoopBound<StreamListeners>>?
    private var timeout: Scheduled<Void>?

    init(_ exchanges: [Exchange]) {
        self.exchanges = exchanges
        scanners = exchanges.map { _ in StreamScanner() }
        waiting = exchanges.count
    }

    /// Asks for the streams, and fulfils the promise when all are ready.
    func open(
        _ openings: [Streams.Opening],
        to address: ServerAddress,
        within patience: TimeAmount,
        _ promise: EventLoopPromise<NIOLoopBound<StreamListeners>>
    ) {
        opening = promise
        let bound = NIOLoopBound(self, eventLoop: promise.futureResult.eventLoop)
        timeout = promise.futureResult.eventLoop.scheduleTask(in: patience) {
            let answer = "\(bound.value.waiting) of \(bound.value.exchanges.count) not ready in time"
            bound.value.finishOpening(.failure(APIFailure.unexpected(request: "stream", answer: answer)))
        }
        finishIfReady()
        let count = Int64(exchanges.count)
        let milliseconds = min(count * 1_000 / Self.openingsPerSecond, Self.longestOpening)
        for (number, exchange) in exchanges.enumerated() {
            let request = Self.request(openings[number], address)
            exchange.onAnswer = { [weak self] status in
                guard let self, status == 503 else {
                    // A stream that is answered in whole is none.
                    self?.ended(number, APIFailure.unexpected(request: "stream", answer: "\(status)"))
                    return
                }
                refusals += 1
                // What the server asks for with `Retry-After`.
                bound.eventLoop.scheduleTask(in: .milliseconds(.random(in: 2_000...10_000))) {
                    bound.value.exchanges[number].send(request)
                }
            }
            exchange.onEnd = { [weak self] in self?.ended(number, $0) }
            exchange.onBody = { [weak self] in self?.read($0, of: number) }
            // Clients do not come in the same millisecond: the stream has them wait for 1.5 s, and each adds what it likes.
            let wait = TimeAmount.milliseconds(Int64(number) * milliseconds / count)
            bound.eventLoop.scheduleTask(in: wait) { bound.value.exchanges[number].send(request) }
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer, of number: Int) {
        let (wasReady, typings) = (scanners[number].isReady, scanners[number].typings)
        do {
            try scanners[number].feed(bytes) { onMessage?($0) }
        } catch {
            ended(number, error)
        }
        for _ in typings..<scanners[number].typings { onTyping?() }
        guard !wasReady, scanners[number].isReady else { return }
        waiting -= 1
        finishIfReady()
    }

    private func finishIfReady() {
        guard waiting == 0, let opening else { return }
        readyAt = .now()
        finishOpening(.success(NIOLoopBound(self, eventLoop: opening.futureResult.eventLoop)))
    }

    private func ended(_ number: Int, _ error: any Error) {
        over.insert(number)
        finishOpening(.failure(error))
        onEnd?(error)
    }

    private func finishOpening(_ result: Result<NIOLoopBound<StreamListeners>, any Error>) {
        timeout?.cancel()
        let promise = opening
        (opening, timeout) = (nil, nil)
        promise?.completeWith(result)
    }

    private static func request(_ opening: Streams.Opening, _ address: ServerAddress) -> ByteBuffer {
        let cursor = opening.cursor.map { "\(ParleyHeader.lastEventID): \($0)\r\n" } ?? ""
        return ByteBuffer(
            string: "GET /v1/stream HTTP/1.1\r\nHost: \(address.host):\(address.port)\r\n"
                + "Authorization: Bearer \(opening.token)\r\nAccept: text/event-stream\r\n\(cursor)\r\n"
        )
    }
}
