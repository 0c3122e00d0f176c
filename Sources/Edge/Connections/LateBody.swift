import NIOCore

/// A request's body that did not come along with its head: one buffer, as soon as all of it is there.
///
/// Beyond a limit it is given as far as it was read, which is then too much for whoever asked for no more than that.
final class LateBody: AsyncSequence, @unchecked Sendable {  // Confined to its event loop: tasks go there.
    private let loop: any EventLoop
    private let limit: Int
    private var bytes: ByteBuffer
    private var state = State.arriving
    /// Called once, where somebody waits for what has not come.
    var onAwaited: (() -> Void)?

    private enum State {
        case arriving
        case awaited(CheckedContinuation<ByteBuffer, any Error>)
        case complete
        case failed(any Error)
    }

    init(_ bytes: ByteBuffer, limit: Int, on loop: any EventLoop) {
        self.bytes = bytes
        self.limit = limit
        self.loop = loop
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: LateBody?

        mutating func next() async throws -> ByteBuffer? {
            defer { body = nil }
            return try await body?.all()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: self)
    }

    private func all() async throws -> ByteBuffer {
        try await withCheckedThrowingContinuation { continuation in
            loop.onItsThread { self.give(to: continuation) }
        }
    }

    // MARK: On the event loop

    /// Whether more has come than anybody takes.
    var isTooLarge: Bool { bytes.readableBytes > limit }

    func append(_ more: ByteBuffer) {
        bytes.writeImmutableBuffer(more)
        if isTooLarge { complete() }
    }

    func complete() {
        move(to: .complete)
    }

    func fail(_ error: any Error) {
        move(to: .failed(error))
    }

    private func move(to next: State) {
        switch state {
        case .complete, .failed: break
        case .arriving: state = next
        case .awaited(let continuation):
            state = next
            give(to: continuation)
        }
    }

    private func give(to continuation: CheckedContinuation<ByteBuffer, any Error>) {
        switch state {
        case .arriving:
            state = .awaited(continuation)
            onAwaited?()
            onAwaited = nil
        case .awaited: continuation.resume(throwing: CancellationError())
        case .complete: continuation.resume(returning: bytes)
        case .failed(let error): continuation.resume(throwing: error)
        }
    }
}
