import EventStore
import Foundation
import Hummingbird
import Logging
import NIOCore
import ParleyWire

/// One open stream, from its first byte to its last: it catches up from the log, then takes from the hub what is live, and
/// goes back to the log whenever the hub says so.
struct StreamConnection {
    static let heartbeatSeconds = 25
    /// Pieces of a catch-up are put together up to this size before they are written.
    private static let writeSize = 32 * 1_024

    let eventStore: EventStore
    let hub: Hub
    let subscription: Subscription

    /// Writes until the stream ends; throws where the connection breaks, or the database cannot be read.
    @concurrent func run(from start: StreamStart, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ByteBuffer(string: "retry: 1500\n\n"))
        let heads = PositionVector(eventStore.feed.heads)
        let first: CatchUp.Outcome
        switch try await hub.checked(start) {
        case .now:
            first = try await begin(reset: false, to: &writer)
        case .unknown:
            first = try await begin(reset: true, to: &writer)
        case .after(let cursor):
            try await writer.write(try hello(isResumed: true, at: cursor))
            first = try await replay(from: cursor, to: cursor, &writer)
        }
        guard first.isComplete else { return try await end(&writer) }
        attach(first, target: heads)
        try await live(to: &writer, target: heads)
    }

    /// A stream without a past.
    @concurrent private func begin(reset: Bool, to writer: inout any ResponseBodyWriter) async throws -> CatchUp.Outcome
    {
        let nowhere = PositionVector(eventStore.feed.heads.map { _ in 0 })
        let outcome = try await hub.catchUp.run(for: subscription.person, from: nil, to: nowhere) { _ in true }
        var bytes = try hello(isResumed: false, at: outcome.snapshot)
        if reset { bytes.writeImmutableBuffer(EventBlock(.reset, data: "{}".utf8).with(id(outcome.snapshot))) }
        try await writer.write(bytes)
        return outcome
    }

    @concurrent private func live(to writer: inout any ResponseBodyWriter, target: PositionVector) async throws {
        while true {
            switch await subscription.next() {
            case .write(let chunks):
                try await writer.write(contentsOf: chunks)
            case .catchUp(let start, let until):
                let outcome = try await replay(from: start, to: until, &writer)
                guard outcome.isComplete else { return try await end(&writer) }
                attach(outcome, target: target)
            case .end:
                return try await end(&writer)
            }
        }
    }

    private func attach(_ outcome: CatchUp.Outcome, target: PositionVector) {
        hub.attach(
            HubState.Attachment(
                subscription: subscription,
                snapshot: outcome.snapshot,
                conversations: outcome.conversations,
                target: target
            )
        )
    }

    /// Writes what was missed, as fast as the client takes it, as long as the stream need not end.
    @concurrent private func replay(
        from start: PositionVector,
        to goal: PositionVector,
        _ writer: inout any ResponseBodyWriter
    ) async throws -> CatchUp.Outcome {
        try await hub.catchUp.run(for: subscription.person, from: start, to: goal) { page in
            var bytes = ByteBuffer()
            for told in page {
                let block = try EventBlock(told.event)
                bytes.writeImmutableBuffer(told.vector.map { block.with(id($0)) } ?? block.withoutID)
                guard bytes.readableBytes >= Self.writeSize else { continue }
                if subscription.ending != nil { return false }
                try await writer.write(bytes)
                subscription.progressed()
                bytes.clear()
            }
            if subscription.ending != nil { return false }
            try await writer.write(bytes)
            subscription.progressed()
            return true
        }
    }

    @concurrent private func end(_ writer: inout any ResponseBodyWriter) async throws {
        guard case .goAway(let reason) = subscription.ending else { return }
        // Spread, so that the clients of a server that stops do not all come to the next one at once.
        let wait = reason == .draining ? Int.random(in: 0...5_000) : 0
        let event = StreamEvent.goAway(StreamEvent.GoAway(reason: reason, reconnectInMs: wait))
        try await writer.write(try EventBlock(event).withoutID)
    }

    private func hello(isResumed: Bool, at vector: PositionVector) throws -> ByteBuffer {
        let hello = StreamEvent.Hello(
            resumed: isResumed,
            heartbeatSeconds: Self.heartbeatSeconds,
            serverTime: Date()
        )
        return try EventBlock(.hello(hello)).with(id(vector))
    }

    private func id(_ vector: PositionVector) -> EventID {
        EventID(vector, epoch: eventStore.identity.epoch)
    }
}
