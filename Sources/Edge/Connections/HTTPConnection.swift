import HTTPTypes
import Hummingbird
import Identity
package import NIOCore
package import NIOHTTPTypes

/// One client's connection: its requests in order, and their answers.
///
/// A request whose body comes along with its head, as nearly every one does, is one value, and an answer is written from
/// the task that made it. Asynchronous sequences of their parts, as Hummingbird has them, cost as much again as the rest
/// of HTTP (decision 0019).
package final class HTTPConnection: ChannelDuplexHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    package let channel: any Channel
    /// Whether it was opened when the server was about to stop already.
    let isLate: Bool
    private let bodies: CallerBudget
    private let answerDeadline: TimeAmount
    private let leavingGrace: TimeAmount

    var context: ChannelHandlerContext?
    private let assembly = RequestAssembly()
    var stalled = StalledParts()
    var leaving = ClientLeaving()
    /// Whether a request is answered: before the first one is taken, none is.
    private var isAnswering = false
    /// The body of the request that is answered, where it did not come along with it.
    private var answered: StreamedBody?
    private var isReadHeld = false
    /// Why no more requests come; nil while they may.
    private var end: End?
    private var taker: CheckedContinuation<Request?, any Error>?
    private var onInboundClosed: (@Sendable () -> Void)?
    private var onServerStopping: (@Sendable () -> Void)?
    private var isServerStopping = false

    private enum End {
        case closed
        case failed(any Error)
    }

    /// - Parameters:
    ///   - isLate: Whether the server is about to stop already.
    ///   - bodies: What bodies may take that do not come along with their heads.
    ///   - limits: How long the connection waits for its client.
    init(_ channel: any Channel, isLate: Bool, bodies: CallerBudget, limits: EdgeLimits) {
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
                channel.eventLoop.onItsThread { self.leaving.wait(waiter) }
            }
        } onCancel: {
            channel.eventLoop.execute { self.leaving.endWaiting() }
        }
    }

    /// What is answered only reads, whatever its method: it ends when the client leaves.
    func onlyReads() {
        channel.eventLoop.onItsThread { self.leaving.begin(isReadOnly: true) }
    }

    /// Holds the body of the request that is answered, if it is still to come, to the rule of its route and to what its
    /// caller may take.
    func expect(_ rule: BodyRule, from caller: RateSubject?) {
        channel.eventLoop.onItsThread {
            guard let body = self.answered else { return }
            body.apply(rule, for: caller)
            if self.assembly.isArriving(body) { self.context?.triggerUserOutboundEvent(rule, promise: nil) }
            self.goOnReading()
        }
    }

    /// Ends the connection, once the client has taken all that was written. What it still says is not heard any more.
    func finish() {
        channel.eventLoop.onItsThread {
            self.assembly.stop()
            self.goOnReading()
            self.context?.flush()  // What was written of an answer that broke off.
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
            self.assembly.discardBody()
            self.goOnReading()
        }
    }

    /// Runs something once the server has begun to stop, which waits for the answers that have begun.
    package func onServerStopping(_ body: @escaping @Sendable () -> Void) {
        channel.eventLoop.onItsThread {
            guard !self.isServerStopping else { return body() }
            self.onServerStopping = body
        }
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let request = assembly.take(unwrapInboundIn(data)) { deliver(request) }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // Behind a request that is answered it waits for its turn, in which it is soon known whose share its body takes.
        if !isAnswering, let late = lateRequest() { deliver(late) }
        context.fireChannelReadComplete()
    }

    /// The request whose body has not come with its head, which from now on counts for what bodies may take.
    private func lateRequest() -> RequestAssembly.Assembled? {
        assembly.stream { head, bytes in
            let body = StreamedBody(bytes, budget: bodies, on: channel.eventLoop)
            body.onRoom = { [weak self] in self?.goOnReading() }
            if head.isWaitingToSend { body.onAwaited = { [weak self] in self?.callForBody() } }
            return body
        }
    }

    /// Some clients ask first (RFC 9110 §10.1.1), and wait for a second or for ever.
    private func callForBody() {
        guard let context, end == nil else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    private func deliver(_ request: RequestAssembly.Assembled) {
        if let taker {
            self.taker = nil
            hand(request, to: taker)
        } else {
            assembly.enqueue(request)
        }
    }

    private func hand(_ assembled: RequestAssembly.Assembled, to taker: CheckedContinuation<Request?, any Error>) {
        let method = assembled.request.method
        isAnswering = true
        answered = assembled.body
        taker.resume(returning: assembled.request)
        leaving.begin(isReadOnly: method == .get || method == .head)
    }

    private func give(to taker: CheckedContinuation<Request?, any Error>) {
        channel.eventLoop.assertInEventLoop()
        leaving.endNothing()
        isAnswering = false
        answered = nil
        if let request = assembly.popFirst() ?? lateRequest() {
            hand(request, to: taker)
        } else if case .failed(let error) = end {
            taker.resume(throwing: error)
        } else if end != nil || assembly.hasLastRequest {
            taker.resume(returning: nil)
        } else {
            // The request before this one is answered.
            assembly.discardBody()
            self.taker = taker
        }
        goOnReading()
    }

    package func read(context: ChannelHandlerContext) {
        isReadHeld = !assembly.acceptsMore
        if !isReadHeld { context.read() }
    }

    private func goOnReading() {
        channel.eventLoop.assertInEventLoop()
        guard isReadHeld, assembly.acceptsMore, let context else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: Beginning and end

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close(.closed)
        leaving.leave()
        stalled.fail(ChannelError.ioOnClosedChannel)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent {
            close(.closed)
            context.eventLoop.assumeIsolated().scheduleTask(in: leavingGrace) { [weak self] in self?.leaving.leave() }
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
        let error: (any Error)? = if case .failed(let error) = reason { error } else { nil }
        end = assembly.close(error) ? reason : .closed
        onInboundClosed?()
        onInboundClosed = nil
        if let taker {
            self.taker = nil
            give(to: taker)
        }
    }
}

// Unchecked, because an event loop is no actor to the compiler. NIO calls the handler on its own, and what tasks and other
// threads may call goes there by `onItsThread`. Debug builds stop where somebody else writes (`assertInEventLoop`).
extension HTTPConnection: @unchecked Sendable {}  // SAFETY: what changes is touched on the channel's event loop alone.
