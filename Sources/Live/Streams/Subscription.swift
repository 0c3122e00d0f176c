import Foundation
import NIOCore
import Synchronization

/// One open stream as the hub knows it: the hub puts in, the task that writes the response takes out.
package final class Subscription: Sendable {
    /// Rises with the order of opening.
    let id: UInt64
    let person: UUID
    let session: UUID
    let expiresAt: Date
    /// Whether heartbeats are events, for clients that cannot see comments.
    let heartbeatsAreEvents: Bool

    fileprivate struct State {
        var buffer: SubscriptionBuffer
        var writer: CheckedContinuation<SubscriptionBuffer.Delivery, Never>?
        /// Who waits for the end of a stream that catches up.
        var endWaiter: CheckedContinuation<Void, Never>?
        /// Writes that the client has not taken yet.
        var writes = 0
        /// For how many checks it has taken nothing of them.
        var stalledChecks = 0
        var abort: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(id: UInt64, owner: StreamOwner, heartbeatsAreEvents: Bool, buffer: SubscriptionBuffer) {
        self.id = id
        person = owner.person
        session = owner.session
        expiresAt = owner.expiresAt
        self.heartbeatsAreEvents = heartbeatsAreEvents
        state = Mutex(State(buffer: buffer))
    }

    /// Why the stream must end, if it must.
    var ending: StreamEnd? {
        state.withLock { $0.buffer.ending }
    }

    /// Whether the stream must begin anew, whatever it does now.
    var isOutdated: Bool {
        state.withLock { $0.buffer.isOutdated }
    }

    /// Waits for what to do next. Called by one task at a time; woken by an end at the latest.
    func next() async -> SubscriptionBuffer.Delivery {
        await withCheckedContinuation { continuation in
            let delivery = state.withLock { state in
                guard let delivery = state.buffer.take() else {
                    state.writer = continuation
                    return SubscriptionBuffer.Delivery?.none
                }
                return delivery
            }
            if let delivery { continuation.resume(returning: delivery) }
        }
    }

    /// Waits until the stream must end, or the task is cancelled. Called by one task at a time.
    func waitForEnd() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.buffer.ending != nil || Task.isCancelled { return true }
                    state.endWaiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeEndWaiter() }?.resume()
        }
    }

    /// What the writer would be told now.
    func takeNow() -> SubscriptionBuffer.Delivery? {
        state.withLock { $0.buffer.take() }
    }

    func goLive(from snapshot: PositionVector, with chunks: [ByteBuffer], at vector: PositionVector, ready: ByteBuffer)
    {
        change { $0.goLive(from: snapshot, with: chunks, at: vector, ready: ready) }
    }

    /// - Returns: false where the stream is behind now and must leave the hub.
    func offer(_ chunk: ByteBuffer, at vector: PositionVector?, deferrable: Bool = false) -> Bool {
        change { $0.offer(chunk, at: vector, deferrable: deferrable) }
    }

    /// Lets go what waits for company.
    func flush() {
        change { $0.flush() }
    }

    func fallBehind(from start: PositionVector? = nil, until: PositionVector) {
        change { $0.fallBehind(from: start, until: until) }
    }

    /// Has the stream tell the client that the log is another, and begin anew.
    func restart() {
        change { $0.restart() }
    }

    package func end(_ end: StreamEnd) {
        change { $0.end(end) }
    }

    /// Changes the buffer, and wakes the writer where that gives it something to do.
    private func change<Result>(_ body: (inout SubscriptionBuffer) -> Result) -> Result {
        let (result, wake, endWaiter) = state.withLock { state in
            let result = body(&state.buffer)
            let endWaiter = state.buffer.ending == nil ? nil : state.takeEndWaiter()
            guard let writer = state.writer, let delivery = state.buffer.take() else {
                return (result, Wake?.none, endWaiter)
            }
            state.writer = nil
            return (result, Wake(writer: writer, delivery: delivery), endWaiter)
        }
        wake?.writer.resume(returning: wake?.delivery ?? .end(.closed))
        endWaiter?.resume()
        return result
    }

    private struct Wake {
        let writer: CheckedContinuation<SubscriptionBuffer.Delivery, Never>
        let delivery: SubscriptionBuffer.Delivery
    }

    // MARK: Stalled clients

    /// Says how to cut the connection of a client that takes nothing.
    package func onAbort(_ abort: @escaping @Sendable () -> Void) {
        state.withLock { $0.abort = abort }
    }

    /// Notes that something is written, which ``endsWriting()`` follows once the client has taken it. Only then a client
    /// can stall: not while its stream waits for the database, or has nothing to say.
    func beginsWriting() {
        state.withLock { $0.writes += 1 }
    }

    func endsWriting() {
        state.withLock { state in
            state.writes -= 1
            state.stalledChecks = 0
        }
    }

    /// Cuts the connection where the client has taken nothing since `limit` checks.
    func checkStall(limit: Int) {
        let abort = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.writes > 0 else { return nil }
            state.stalledChecks += 1
            guard state.stalledChecks > limit else { return nil }
            return state.abort
        }
        guard let abort else { return }
        end(.closed)
        abort()
    }
}

extension Subscription.State {
    fileprivate mutating func takeEndWaiter() -> CheckedContinuation<Void, Never>? {
        defer { endWaiter = nil }
        return endWaiter
    }
}

extension Subscription: Hashable {
    package static func == (left: Subscription, right: Subscription) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
