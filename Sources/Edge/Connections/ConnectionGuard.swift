import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Guards one connection against what no request handler sees: connections beyond the caps, requests that drip in,
/// answers that are not taken, too many requests at once, and what is not HTTP.
///
/// Hummingbird ends connections that are silent between requests. A client that drips one byte at a time is never silent:
/// so every request's head and body have a deadline, and a body a least rate as well. Bytes that complete no head are
/// told by a read that ends without any part of a request, or that goes on behind the end of one.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: EdgeLimits
    private let counts: ConnectionCounts
    private let bytes: IncomingBytes
    private let refusals: ConnectionRefusals
    private var place: ConnectionCounts.Place?

    /// Requests whose answers have not ended.
    private var unanswered = 0
    private var isReadingRequest = false
    private var hasReadPart = false
    private var isStreaming = false
    private var hasLastAnswer = false
    /// Nothing more is read from here on: answers that are owed are still given.
    private var isDeaf = false
    /// Whether the connection ends when no answer is owed any more.
    private var endsAfterAnswers = false
    private var isHangingUp = false
    /// The document in place of a bare 400, until its end is written.
    private var document: ProblemDocument?

    private let deadlines: RequestDeadlines
    private var answerTimer: Scheduled<Void>?

    init(limits: EdgeLimits, counts: ConnectionCounts, bytes: IncomingBytes, refusals: ConnectionRefusals) {
        self.limits = limits
        self.counts = counts
        self.bytes = bytes
        self.refusals = refusals
        deadlines = RequestDeadlines(limits)
    }

    // MARK: Opening and closing

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        guard place == nil else { return }
        place = counts.open(from: ClientAddress(context.channel.remoteAddress))
        guard place != nil else {
            isDeaf = true
            return context.close(promise: nil)
        }
        expectHead(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadlines.stop()
        answerTimer?.cancel()
        answerTimer = nil
        if let place { counts.close(place) }
        place = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDeaf else { return }
        hasReadPart = true
        switch unwrapInboundIn(data) {
        case .head(let request):
            guard unanswered < limits.maxPipelinedRequests else { return refuse(request) }
            unanswered += 1
            isReadingRequest = true
            deadlines.isBodyStreamed = false
            deadlines.stop()
        case .body(let bytes):
            deadlines.count(bytes)
        case .end:
            isReadingRequest = false
            deadlines.stop()
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A request that came in one piece never costs a timer.
        if !isDeaf, !deadlines.isRunning {
            if isReadingRequest {
                deadlines.expectBody(context)
            } else if unanswered == 0, !hasReadPart || bytes.hasBegunHead {
                expectHead(context)
            }
        }
        hasReadPart = false
        deadlines.isReading = false
        context.fireChannelReadComplete()
    }

    private func expectHead(_ context: ChannelHandlerContext) {
        deadlines.expectHead(context) { [self] in
            // What is broken off by the end of the connection is no second fault.
            isDeaf = true
            // Who says nothing asks for nothing.
            if bytes.hasBegunHead { refusals.noteUnanswered(nil, for: .header) }
        }
    }

    /// While an answer is owed it may be the server that reads no more, so that the client's time begins with the answer.
    private func expectRestOfHead(_ context: ChannelHandlerContext) {
        guard bytes.hasBegunHead, unanswered == 0, !hasLastAnswer, !isDeaf, !deadlines.isRunning else { return }
        expectHead(context)
    }

    func read(context: ChannelHandlerContext) {
        deadlines.isReading = true
        context.read()
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let rule = event as? BodyRule {
            deadlines.isBodyStreamed = isReadingRequest && rule.isStreamed
            promise?.succeed()
        } else {
            context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    /// The answers to what was let in come first; then the connection ends.
    private func refuse(_ request: HTTPRequest) {
        isDeaf = true
        endsAfterAnswers = true
        ConnectionMetrics.ended(for: .pipelining)
        refusals.noteUnanswered(request, for: .pipelining)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isStreaming = head.headerFields.single(.contentType) == "text/event-stream"
            hasLastAnswer = head.headerFields.single(.connection) == "close"
            // Without a request id it is the connection's own, for what is not HTTP behind a request.
            guard head.status == .badRequest, !head.headerFields.contains(.requestID) else { break }
            let document = refusal(context)
            self.document = document
            return context.write(wrapOutboundOut(.head(document.head)), promise: promise)
        case .body:
            break
        case .end:
            let isRefusal = document != nil
            if let document { context.write(wrapOutboundOut(.body(document.body)), promise: nil) }
            document = nil
            unanswered -= 1
            context.write(data, promise: promise)
            if isRefusal || (endsAfterAnswers && unanswered <= 0) { return hangUp(context) }
            return expectRestOfHead(context)
        }
        context.write(data, promise: promise)
    }

    /// A client that takes nothing of an answer would hold its bytes for ever. Streams have bounds of their own.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        answerTimer?.cancel()
        answerTimer = nil
        if !context.channel.isWritable, !isStreaming {
            answerTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.answerDeadline)) {
                ConnectionMetrics.ended(for: .answer)
                context.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: What is not HTTP

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError || error is HTTP1TypeConversionError else {
            context.fireErrorCaught(error)
            return
        }
        guard !isDeaf else { return }
        isDeaf = true
        deadlines.stop()
        // Where an answer has begun or is owed, the connection's own task gives the refusal its turn.
        guard unanswered == 0, !isReadingRequest else {
            context.fireErrorCaught(HTTPParserError.unknown)
            return
        }
        if case .some(.invalidMethod) = error as? HTTPParserError, let request = bytes.requestOfUnknownMethod {
            return pass(request, context)
        }
        let document = refusal(context)
        context.write(wrapOutboundOut(.head(document.head)), promise: nil)
        context.write(wrapOutboundOut(.body(document.body)), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        hangUp(context)
    }

    /// A request with a method that nothing answers to: it is told so like any other, by its path.
    private func pass(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
        unanswered += 1
        context.fireChannelRead(wrapInboundOut(.head(request)))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
    }

    private func refusal(_ context: ChannelHandlerContext) -> ProblemDocument {
        var document = ProblemDocument(
            HTTPProblem.malformed(
                "This is not HTTP that the server reads, or its headers are too large, or its Host is missing or wrong."
            ),
            requestID: RequestID().description
        )
        document.head.headerFields[.connection] = "close"
        SecurityFields.add(to: &document.head.headerFields)
        // To a client that has gone nothing is said.
        if context.channel.isActive { refusals.note(document) }
        return document
    }

    /// Closes, but gives a client that still talks a moment to read the answer: closing at once would reset it.
    private func hangUp(_ context: ChannelHandlerContext) {
        isHangingUp = true
        deadlines.stop()
        context.flush()
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isHangingUp, case .some(.inputClosed) = event as? ChannelEvent {
            return context.close(promise: nil)
        }
        if event is ChannelShouldQuiesceEvent { context.fireUserInboundEventTriggered(ServerStopping()) }
        context.fireUserInboundEventTriggered(event)
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
