import DequeModule
import HTTPTypes
import Hummingbird
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes

/// One client's connection: its requests in order, and their answers.
///
/// A request whose body comes along with its head, as nearly every one does, is one value, and an answer is written from
/// the task that made it. Asynchronous sequences of their parts, as Hummingbird has them, cost as much again as the rest
/// of HTTP (decision 0019).
package final class HTTPConnection: ChannelDuplexHandler, @unchecked Sendable {  // Confined to its event loop.
    package typealias InboundIn = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    package let channel: any Channel
    /// Whether it was opened when the server was about to stop already.
    let isLate: Bool
    private let bodies: BodyBudget
    private let answerDeadline: TimeAmount
    private let leavingGrace: TimeAmount

    private var context: ChannelHandlerContext?
    /// Requests that wait for those before them. While there is one nothing more is read.
    private var requests = Deque<Waiting>()
    /// The body of the request that is answered, where it did not come along with it.
    private var answered: StreamedBody?
    private var arriving = Arriving.nothing
    private var isReadHeld = false
    /// Behind a request to change the protocol the parser stops, whatever the answer is. So nothing more is read: it would
    /// be kept.
    private var isLastRequest = false
    private var isFinished = false
    /// Why no more requests come; nil while they may.
    private var end: End?
    private var taker: CheckedContinuation<Request?, any Error>?
    /// Whether what is answered only reads.
    private var isReadOnly = false
    private var hasLeft = false
    /// Who waits for the client's leaving, and whether that is over.
    private var leaveWaiter: CheckedContinuation<Void, Never>?
    private var isLeaveTold = false
    /// What waits to be written, in its order: one part for each task that writes.
    private var stalled = Deque<Stalled>()
    private var onInboundClosed: (@Sendable () -> Void)?
    private var onServerStopping: (@Sendable () -> Void)?
    private var isServerStopping = false

    /// What a request is between its head and its end.
    private enum Arriving {
        case nothing
        case whole(HTTPRequest, ByteBuffer?)
        case late(StreamedBody)
        /// The rest of a body that nobody reads.
        case unwanted
    }

    /// A request that waits, with its body where that did not come along.
    private struct Waiting {
        let request: Request
        let body: StreamedBody?
    }

    private enum End {
        case closed
        case failed(any Error)
    }

    /// A part of an answer, until the client has taken what was written before.
    private struct Stalled {
        let part: HTTPResponsePart
        let isLast: Bool
        let writer: CheckedContinuation<Void, any Error>
    }

    /// - Parameters:
    ///   - isLate: Whether the server is about to stop already.
    ///   - bodies: What bodies may take that do not come along with their heads.
    ///   - limits: How long the connection waits for its client.
    init(_ channel: any Channel, isLate: Bool, bodies: BodyBudget, limits: EdgeLimits) {
        self.channel = channel
        self.isLate = isLate
        self.bodies = bodies
        answerDeadline = TimeAmount(limits.answerDeadline)
        leavingGrace = TimeAmount(limits.leavingGrace)
    }

    // MARK: For the task that serves the connection

    /// The next request, which nobody waits for but the one who has answered those before it; nil where no more come.
    ///
    /// - Throws: `HTTPParserError` behind the last request where what follows is not HTTP; `ChannelError` and `IOError`.
    func next() async throws -> Request? {
        try await withCheckedThrowingContinuation { continuation in
            channel.eventLoop.onItsThread { self.give(to: continuation) }
        }
    }

    /// Waits until the client has left while what is answered only reads, or the task is cancelled. For one task.
    func clientLeaves() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                channel.eventLoop.onItsThread {
                    self.leaveWaiter = waiter
                    self.tellLeaving()
                }
            }
        } onCancel: {
            channel.eventLoop.execute { self.endLeaving() }
        }
    }

    /// Holds the body of the request that is answered, if it is still to come, to the rule of its route.
    func expect(_ rule: BodyRule) {
        channel.eventLoop.onItsThread {
            guard let body = self.answered else { return }
            body.apply(rule)
            if case .late(let late) = self.arriving, late === body {
                self.context?.triggerUserOutboundEvent(rule, promise: nil)
            }
            self.goOnReading()
        }
    }

    /// Writes an answer, as fast as the client takes it.
    func write(_ response: Response) async throws {
        try await write(response.head)
        try await write(response.body)
    }

    func write(_ head: HTTPResponse) async throws {
        try await write(.head(head), flushing: false)
    }

    func write(_ body: ResponseBody) async throws {
        // A stream's pieces are to be there at once, those of another answer together.
        try await body.write(AnswerWriter(connection: self, isStream: body.contentLength == nil))
    }

    /// Writes a piece of an answer that is a stream.
    package func write(_ bytes: ByteBuffer) async throws {
        try await write(.body(bytes), flushing: true)
    }

    package func endAnswer() async throws {
        try await write(.end(nil), flushing: true)
    }

    /// Ends the connection, once the client has taken all that was written. What it still says is not heard any more.
    func finish() {
        channel.eventLoop.onItsThread {
            self.requests.removeAll()
            if !self.isLastRequest { self.arriving = .unwanted }
            self.isFinished = true
            self.goOnReading()
            self.hangUp(until: .now() + self.answerDeadline)
        }
    }

    /// First the sending side: closing both at once would take the last answer from a client that still talks.
    private func hangUp(until deadline: NIODeadline) {
        guard let context else { return }
        let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        let loop = context.eventLoop.assumeIsolated()
        if let waiting, waiting > 0, .now() < deadline {
            // Where the client has closed its side, NIO would drop what it has not sent yet.
            loop.scheduleTask(in: .milliseconds(100)) { [weak self] in self?.hangUp(until: deadline) }
        } else {
            context.close(mode: .output, promise: nil)
            loop.scheduleTask(in: .seconds(1)) { [weak self] in self?.context?.close(promise: nil) }
        }
    }

    /// Runs something once no more can come from the client, who is then taken to have left. What it still sends is not
    /// read any more as requests.
    package func onInboundClosed(_ body: @escaping @Sendable () -> Void) {
        channel.eventLoop.onItsThread {
            guard self.end == nil else { return body() }
            self.onInboundClosed = body
            self.discardBody()
        }
    }

    /// Runs something once the server has begun to stop, which waits for the answers that have begun.
    package func onServerStopping(_ body: @escaping @Sendable () -> Void) {
        channel.eventLoop.onItsThread {
            guard !self.isServerStopping else { return body() }
            self.onServerStopping = body
        }
    }

    private struct AnswerWriter: ResponseBodyWriter {
        let connection: HTTPConnection
        let isStream: Bool

        func write(_ buffer: ByteBuffer) async throws {
            try await connection.write(.body(buffer), flushing: isStream)
        }

        func write(contentsOf buffers: some Sequence<ByteBuffer>) async throws {
            try await write(ByteBuffer(joining: buffers))
        }

        consuming func finish(_ trailers: HTTPFields?) async throws {
            try await connection.write(.end(trailers), flushing: true)
        }
    }

    private func write(_ part: HTTPResponsePart, flushing: Bool) async throws {
        if channel.eventLoop.inEventLoop, try writeNow(part, flushing: flushing) { return }
        try await withCheckedThrowingContinuation { writer in
            channel.eventLoop.onItsThread { self.write(Stalled(part: part, isLast: flushing, writer: writer)) }
        }
    }

    // MARK: Writing

    /// - Returns: false where the client has to take first what was written before.
    private func writeNow(_ part: HTTPResponsePart, flushing: Bool) throws -> Bool {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        // What has been read for the client is given to it, however long it takes that.
        if case .head = part { isReadOnly = false }
        guard context.channel.isWritable, stalled.isEmpty else { return false }
        let data = wrapOutboundOut(part)
        if flushing { context.writeAndFlush(data, promise: nil) } else { context.write(data, promise: nil) }
        return true
    }

    private func write(_ part: Stalled) {
        do {
            if try writeNow(part.part, flushing: part.isLast) { return part.writer.resume() }
            stalled.append(part)
            // What was written and not flushed would never make room.
            context?.flush()
        } catch {
            part.writer.resume(throwing: error)
        }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        while context.channel.isWritable, let part = stalled.popFirst() {
            context.writeAndFlush(wrapOutboundOut(part.part), promise: nil)
            part.writer.resume()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFinished else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            arriving = .whole(head, nil)
            isLastRequest = head.changesProtocol
        case .body(let bytes): append(bytes)
        case .end:
            switch arriving {
            case .whole(let head, let bytes):
                let body = RequestBody(buffer: bytes ?? ByteBuffer())
                deliver(Waiting(request: Request(head: head.stating(bytes?.readableBytes), body: body), body: nil))
            case .late(let body): body.complete()
            case .nothing, .unwanted: break
            }
            arriving = .nothing
        }
    }

    private func append(_ bytes: ByteBuffer) {
        switch arriving {
        case .whole(let head, nil): arriving = .whole(head, bytes)
        case .whole(let head, .some(var all)):
            arriving = .nothing
            all.writeImmutableBuffer(bytes)
            arriving = .whole(head, all)
        case .late(let body): body.append(bytes)
        case .nothing, .unwanted: break
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if case .whole(let head, let bytes) = arriving {
            let body = StreamedBody(bytes, budget: bodies, on: context.eventLoop)
            body.onRoom = { [weak self] in self?.goOnReading() }
            if head.isWaitingToSend { body.onAwaited = { [weak self] in self?.callForBody() } }
            arriving = .late(body)
            let request = Request(head: head, body: RequestBody(asyncSequence: body))
            deliver(Waiting(request: request, body: body))
        }
        context.fireChannelReadComplete()
    }

    /// Some clients ask first (RFC 9110 §10.1.1), and wait for a second or for ever.
    private func callForBody() {
        guard let context, end == nil else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    private func deliver(_ request: Waiting) {
        if let taker {
            self.taker = nil
            hand(request, to: taker)
        } else {
            requests.append(request)
        }
    }

    private func hand(_ waiting: Waiting, to taker: CheckedContinuation<Request?, any Error>) {
        isReadOnly = waiting.request.method == .get || waiting.request.method == .head
        answered = waiting.body
        taker.resume(returning: waiting.request)
        tellLeaving()
    }

    private func give(to taker: CheckedContinuation<Request?, any Error>) {
        isReadOnly = false
        answered = nil
        if let request = requests.popFirst() {
            hand(request, to: taker)
        } else if case .failed(let error) = end {
            taker.resume(throwing: error)
        } else if end != nil || isLastRequest {
            taker.resume(returning: nil)
        } else {
            // The request before this one is answered.
            discardBody()
            self.taker = taker
        }
        goOnReading()
    }

    private func discardBody() {
        if case .late = arriving, requests.isEmpty { arriving = .unwanted }
        goOnReading()
    }

    private var mayRead: Bool {
        switch arriving {
        case .late(let body): body.wantsMore && requests.isEmpty
        case .nothing: !isLastRequest && requests.isEmpty
        case .whole, .unwanted: requests.isEmpty
        }
    }

    package func read(context: ChannelHandlerContext) {
        isReadHeld = !mayRead
        if !isReadHeld { context.read() }
    }

    private func goOnReading() {
        guard isReadHeld, mayRead, let context else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: The client's leaving

    private func tellLeaving() {
        if isLeaveTold || (hasLeft && isReadOnly) { endLeaving() }
    }

    private func endLeaving() {
        isLeaveTold = true
        leaveWaiter?.resume()
        leaveWaiter = nil
    }

    // MARK: Beginning and end

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close(.closed)
        hasLeft = true
        tellLeaving()
        for part in stalled { part.writer.resume(throwing: ChannelError.ioOnClosedChannel) }
        stalled.removeAll()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent {
            close(.closed)
            context.eventLoop.assumeIsolated().scheduleTask(in: leavingGrace) { [weak self] in
                self?.hasLeft = true
                self?.tellLeaving()
            }
        }
        if event is ServerStopping {
            isServerStopping = true
            onServerStopping?()
            onServerStopping = nil
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close(.failed(error))
    }

    private func close(_ reason: End) {
        guard end == nil else { return }
        end = reason
        switch (arriving, reason) {
        case (.late(let body), .failed(let error as HTTPParserError)): body.fail(error)
        // Nobody's fault, and nobody is there to be told.
        case (.late(let body), _): body.fail(CancellationError())
        // The request has its answer already.
        case (.unwanted, .failed): end = .closed
        case (.nothing, _), (.whole, _), (.unwanted, .closed): break
        }
        arriving = .unwanted
        onInboundClosed?()
        onInboundClosed = nil
        if let taker {
            self.taker = nil
            give(to: taker)
        }
    }
}
