import DequeModule
import HTTPTypes
import Identity
import NIOCore
import ParleyWire

/// A request's body that did not come along with its head: pieces between two marks, from the connection to the one task
/// that reads them.
///
/// Where nobody reads, no more comes in than up to the upper mark. What a collecting reader took counts as held until the
/// request is over; of a streamed body only what still waits.
final class StreamedBody: AsyncSequence {
    private static let upperMark = 64 * 1_024
    private static let lowerMark = 16 * 1_024
    /// So much of each body counts for nothing: whoever fills the budget keeps nobody from signing in, or from sending what
    /// people write.
    private static let free = 4 * 1_024

    private let loop: any EventLoop
    private let budget: CallerBudget
    /// By whose share it counts; nil while it is not known who asks.
    private var caller: RateSubject?
    private var rule = BodyRule.fields
    private var pieces = Deque<ByteBuffer>()
    private var waiting = 0
    private var received = 0
    /// What was taken from the budget.
    private var held = 0
    private var isPaused = false
    private var state = State.arriving
    /// Called once, where somebody waits for what has not come.
    var onAwaited: (() -> Void)?
    /// Called where more may come in again.
    var onRoom: (() -> Void)?

    private enum State {
        case arriving
        case awaited(CheckedContinuation<ByteBuffer?, any Error>)
        case complete
        case failed(any Error)
    }

    init(_ bytes: ByteBuffer?, budget: CallerBudget, on loop: any EventLoop) {
        self.budget = budget
        self.loop = loop
        if let bytes { append(bytes) }
    }

    deinit {
        budget.give(held, of: caller)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: StreamedBody

        func next() async throws -> ByteBuffer? {
            try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: self)
    }

    private func next() async throws -> ByteBuffer? {
        try await withCheckedThrowingContinuation { continuation in
            loop.onItsThread { self.give(to: continuation) }
        }
    }

    // MARK: On the event loop

    /// Whether more may come in.
    var acceptsMore: Bool {
        switch state {
        case .arriving, .awaited: !isPaused
        case .complete, .failed: false
        }
    }

    /// Holds the body to the rule of its route, and to what its caller may take.
    func apply(_ rule: BodyRule, for caller: RateSubject?) {
        self.rule = rule
        if received > rule.maxBytes { return fail(rule.tooLarge) }
        guard let caller, self.caller == nil else { return }
        do {
            try budget.charge(held, to: caller)
            self.caller = caller
        } catch {
            fail(Self.overloaded(error))
        }
    }

    func append(_ more: ByteBuffer) {
        loop.assertInEventLoop()
        switch state {
        case .complete, .failed: return
        case .arriving, .awaited: break
        }
        received += more.readableBytes
        guard received <= rule.maxBytes else { return fail(rule.tooLarge) }
        let counted = Swift.min(more.readableBytes, Swift.max(0, received - Self.free))
        do {
            try budget.take(counted, for: caller)
        } catch {
            return fail(Self.overloaded(error))
        }
        held += counted
        waiting += more.readableBytes
        pieces.append(more)
        if waiting >= Self.upperMark { isPaused = true }
        if case .awaited(let continuation) = state {
            state = .arriving
            give(to: continuation)
        }
    }

    private static func overloaded(_ refusal: CallerBudget.Refusal) -> HTTPProblem {
        switch refusal {
        case .all: HTTPProblem(.overloaded, "Too many bodies come in at this moment.")
        case .caller: HTTPProblem(.overloaded, "Too many of your bodies come in at this moment.")
        }
    }

    func complete() {
        move(to: .complete)
    }

    /// What nobody has taken yet is dropped.
    func fail(_ error: any Error) {
        pieces.removeAll()
        waiting = 0
        budget.give(held, of: caller)
        held = 0
        // Also where all of it has come: it may be more than its route takes.
        if case .complete = state { state = .arriving }
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

    private func give(to continuation: CheckedContinuation<ByteBuffer?, any Error>) {
        loop.assertInEventLoop()
        if let piece = pieces.popFirst() {
            took(piece.readableBytes)
            return continuation.resume(returning: piece)
        }
        switch state {
        case .arriving:
            state = .awaited(continuation)
            onAwaited?()
            onAwaited = nil
        case .awaited: continuation.resume(throwing: CancellationError())
        case .complete: continuation.resume(returning: nil)
        case .failed(let error): continuation.resume(throwing: error)
        }
    }

    private func took(_ bytes: Int) {
        waiting -= bytes
        if rule.isStreamed {
            let counted = Swift.min(bytes, held)
            held -= counted
            budget.give(counted, of: caller)
        }
        guard isPaused, waiting <= Self.lowerMark else { return }
        isPaused = false
        onRoom?()
    }
}

// Unchecked, because an event loop is no actor to the compiler. Its connection calls it on `loop`, and `next`, all that the
// reading task may call, goes there first. Debug builds stop where somebody else does (`assertInEventLoop`); `deinit` has it
// alone.
extension StreamedBody: @unchecked Sendable {}  // SAFETY: what changes is touched on `loop` alone.
