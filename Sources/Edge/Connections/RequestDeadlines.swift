import NIOCore

/// How long one connection waits for a request: its head and its body have a deadline, and a body a least rate as well.
/// One timer at a time; on the connection's event loop alone.
final class RequestDeadlines {
    private let limits: EdgeLimits
    private var timer: Scheduled<Void>?
    private var bodyBytes = 0
    /// The body is taken as its reader gets on, so that only its rate counts.
    var isBodyStreamed = false
    /// Whether the connection waits for the client, and not the other way round.
    var isReading = false

    init(_ limits: EdgeLimits) {
        self.limits = limits
    }

    var isRunning: Bool { timer != nil }

    func count(_ bytes: ByteBuffer) {
        bodyBytes += bytes.readableBytes
    }

    /// - Parameter onLate: What is to be done before the connection ends.
    func expectHead(_ context: ChannelHandlerContext, onLate: @escaping () -> Void) {
        schedule(context, in: limits.headerDeadline) {
            onLate()
            Self.end(context, for: .header)
        }
    }

    func expectBody(_ context: ChannelHandlerContext) {
        bodyBytes = 0
        watchBody(context, until: context.eventLoop.now + TimeAmount(limits.bodyDeadline))
    }

    /// A third of the deadline at a time, each of which has to bring its share.
    private func watchBody(_ context: ChannelHandlerContext, until deadline: NIODeadline) {
        let share = limits.bodyDeadline / 3
        schedule(context, in: share) { [self] in
            timer = nil
            // Where the reader is what is slow, or the body waits for its turn, nothing was asked of the client.
            guard isReading else { return expectBody(context) }
            let isFastEnough = Double(bodyBytes) >= Double(limits.minBodyRate) * (share / .seconds(1))
            guard isFastEnough, isBodyStreamed || context.eventLoop.now < deadline else {
                return Self.end(context, for: .body)
            }
            bodyBytes = 0
            watchBody(context, until: deadline)
        }
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func schedule(_ context: ChannelHandlerContext, in time: Duration, _ body: @escaping () -> Void) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time), body)
    }

    private static func end(_ context: ChannelHandlerContext, for reason: ConnectionMetrics.Reason) {
        ConnectionMetrics.ended(for: reason)
        context.close(promise: nil)
    }
}
