import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Guards one connection against what no request handler sees: it answers what is not HTTP with a problem document,
/// and closes a connection whose request body does not arrive in time.
///
/// Hummingbird's idle timeout starts anew with every piece of a body, so a client that drips one byte at a time would
/// hold a connection for ever.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let bodyDeadline: TimeAmount
    private var unanswered = 0
    private var isReadingRequest = false
    private var deadline: Scheduled<Void>?

    init(bodyDeadline: TimeAmount) {
        self.bodyDeadline = bodyDeadline
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isReadingRequest = true
        case .body:
            break
        case .end:
            isReadingRequest = false
            deadline?.cancel()
            deadline = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A request that came in one piece never costs a timer.
        if isReadingRequest, deadline == nil {
            deadline = context.eventLoop.assumeIsolated().scheduleTask(in: bodyDeadline) { context.close(promise: nil) }
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { unanswered -= 1 }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Only where no answer has begun or is owed can one be written that the client takes for its own.
        guard error is HTTPParserError, unanswered == 0, !isReadingRequest else {
            context.fireErrorCaught(error)
            return
        }
        let document = ProblemDocument(
            HTTPProblem.malformed("This is not HTTP that the server reads, or its headers are too large."),
            requestID: RequestID().description
        )
        var head = document.head
        head.headerFields[.connection] = "close"
        SecurityFields.add(to: &head.headerFields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(document.body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
