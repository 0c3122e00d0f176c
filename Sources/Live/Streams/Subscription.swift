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

    private struct State {
        var buffer: SubscriptionBuffer
        var writer: CheckedContinuation<SubscriptionBuffer.Delivery, Never>?
        /// For how many checks the writer has been at the same write.
        var stalledChecks = 0
        var isWriting = true
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
                    state.isWriting = false
                    state.writer = continuation
                    return SubscriptionBuffer.Delivery?.none
                }
                state.stalledChecks = 0
                return delivery
            }
            if let delivery { continuation.resume(returning: delivery) }
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
    func offer(_ chunk: ByteBuffer, at vector: PositionVector?) -> Bool {
        change { $0.offer(chunk, at: vector) }
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
        let (result, wake) = state.withLock { state in
            let result = body(&state.buffer)
            guard let writer = state.writer, let delivery = state.buffer.take() else { return (result, Wake?.none) }
            state.writer = nil
            state.isWriting = true
            state.stalledChecks = 0
            return (result, Wake(writer: writer, delivery: delivery))
        }
        wake?.writer.resume(returning: wake?.delivery ?? .end(.closed))
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

    /// Notes that the client took something.
    func progressed() {
        state.withLock { $0.stalledChecks = 0 }
    }

    /// Cuts the connection where the client has taken nothing since `limit` checks.
    func checkStall(limit: Int) {
        let abort = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.isWriting else { return nil }
            state.stalledChecks += 1
            guard state.stalledChecks > limit else { return nil }
            state.buffer.end(.closed)
            return state.abort
        }
        abort?()
    }
}

extension Subscription: Hashable {
    package static func == (left: Subscription, right: Subscription) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
