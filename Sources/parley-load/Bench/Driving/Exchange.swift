import NIOCore

/// One HTTP/1.1 connection's requests and answers; everything happens on its event loop.
///
/// Whoever drives it sets the closures, and takes them away at the end: they hold on to the driver.
final class Exchange: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The status of an answer, once it is whole.
    var onAnswer: ((Int) -> Void)?
    /// The pieces of bodies, as they come.
    var onBody: ((UnsafeRawBufferPointer) -> Void)?
    /// The connection has ended: no answer will follow.
    var onEnd: ((any Error) -> Void)?

    private var context: ChannelHandlerContext?
    private var scanner = ResponseScanner()
    private var end: (any Error)?

    /// `Parley-Position` of the last answer that had one.
    var position: String? { scanner.position }

    func send(_ request: ByteBuffer) {
        guard let context, end == nil else {
            onEnd?(end ?? ChannelError.ioOnClosedChannel)
            return
        }
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        scanner.feed(&bytes)
        do {
            while let status = try scanner.next(onBody) { onAnswer?(status) }
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(error)
        context.close(promise: nil)
    }

    private func finish(_ error: any Error) {
        guard end == nil else { return }
        end = error
        onEnd?(error)
    }
}
