import NIOCore
import ParleyWire

/// What waits to be written to one stream, in bounds, and how far the stream has come.
///
/// A stream catches up from the log, then lives off this buffer. When the buffer overflows, it is dropped whole, and the
/// stream catches up again from where its writer is: memory stays bounded and nothing is lost.
struct SubscriptionBuffer {
    /// What the writer is to do next.
    enum Delivery: Equatable {
        case write([ByteBuffer])
        /// Read the log from there, up to `until` at least, and attach again.
        case catchUp(from: PositionVector, until: PositionVector)
        /// Tell the client that nothing of what it has can be continued, and begin anew.
        case restart
        case end(StreamEnd)
    }

    private enum Phase {
        case catchingUp
        case live
        case behind(until: PositionVector)
        case outdated
        case ended(StreamEnd)
    }

    private let maxChunks: Int
    private let maxBytes: Int
    private var phase = Phase.catchingUp
    private var chunks: [ByteBuffer] = []
    private var bytes = 0
    /// Whether all chunks are of the kind that can wait for company.
    private var isDeferred = false
    /// How far the stream will have come when the writer has written all chunks.
    private var appended: PositionVector
    /// How far it has come with what the writer took.
    private var taken: PositionVector
    private var holdsReady = false
    private var isReadyDue = true

    init(from start: PositionVector, maxChunks: Int, maxBytes: Int) {
        appended = start
        taken = start
        self.maxChunks = maxChunks
        self.maxBytes = maxBytes
    }

    var ending: StreamEnd? {
        if case .ended(let end) = phase { end } else { nil }
    }

    /// Whether the stream must begin anew, whatever it does now.
    var isOutdated: Bool {
        if case .outdated = phase { true } else { false }
    }

    /// Ends a catch-up that has written everything up to `snapshot`.
    ///
    /// - Parameters:
    ///   - chunks: what happened between `snapshot` and `vector`.
    ///   - ready: is written after them where the stream has not been told yet that it is up to date.
    mutating func goLive(
        from snapshot: PositionVector,
        with chunks: [ByteBuffer],
        at vector: PositionVector,
        ready: ByteBuffer
    ) {
        guard case .catchingUp = phase else { return }
        phase = .live
        self.chunks = chunks
        bytes = chunks.reduce(0) { $0 + $1.readableBytes }
        isDeferred = false
        taken = snapshot
        appended = vector
        if isReadyDue {
            self.chunks.append(ready)
            holdsReady = true
        }
    }

    /// Takes an event that the stream needs to have seen at `vector`, or, with nil, one outside the order of events.
    ///
    /// - Parameter deferrable: lets it wait until something else is offered or ``flush()`` is called, unless half of the
    ///   room is taken.
    /// - Returns: false where the stream is behind now and must leave the hub.
    mutating func offer(_ chunk: ByteBuffer, at vector: PositionVector?, deferrable: Bool = false) -> Bool {
        guard case .live = phase else { return true }
        guard chunks.count < maxChunks, bytes + chunk.readableBytes <= maxBytes || chunks.isEmpty else { return false }
        isDeferred = deferrable && (chunks.isEmpty || isDeferred)
        chunks.append(chunk)
        bytes += chunk.readableBytes
        if chunks.count > maxChunks / 2 || bytes > maxBytes / 2 { isDeferred = false }
        if let vector { appended = vector }
        return true
    }

    /// Lets go what waits for company.
    mutating func flush() {
        isDeferred = false
    }

    /// Drops what was not taken: the stream reads it from the log.
    mutating func fallBehind(from start: PositionVector? = nil, until: PositionVector) {
        switch phase {
        case .live, .catchingUp:
            if let start { taken = start }
            phase = .behind(until: until)
            drop()
        case .behind, .outdated, .ended:
            break
        }
    }

    /// Drops what was not taken: it may be among what the log has lost.
    mutating func restart() {
        if case .ended = phase { return }
        phase = .outdated
        isReadyDue = true
        drop()
    }

    /// The first end counts. What was offered before is still written, but for a revoked session, which gets nothing more.
    mutating func end(_ end: StreamEnd) {
        switch (phase, end) {
        case (.ended(.closed), _), (.ended(.goAway), .goAway): return
        case (_, .closed), (_, .goAway(.revoked)): drop()
        case (_, .goAway): break
        }
        phase = .ended(end)
    }

    /// What to do now; nil where there is nothing to do yet.
    mutating func take() -> Delivery? {
        if !chunks.isEmpty, !isDeferred || ending != nil {
            taken = appended
            if holdsReady { isReadyDue = false }
            let batch = chunks
            drop()
            return .write(batch)
        }
        switch phase {
        case .catchingUp, .live:
            return nil
        case .behind(let until):
            phase = .catchingUp
            return .catchUp(from: taken, until: until)
        case .outdated:
            phase = .catchingUp
            return .restart
        case .ended(let end):
            return .end(end)
        }
    }

    private mutating func drop() {
        chunks = []
        bytes = 0
        holdsReady = false
        isDeferred = false
    }
}
