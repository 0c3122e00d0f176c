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
        var reader: CatchUpReader
        switch try await hub.checked(start) {
        case .now:
            reader = try await begin(reset: false, to: &writer)
        case .unknown:
            reader = try await begin(reset: true, to: &writer)
        case .after(let cursor):
            try await writer.write(try hello(isResumed: true, at: cursor))
            reader = try await open(from: cursor, to: cursor, hoping: heads)
            guard try await replay(reader, to: &writer) else { return try await end(&writer) }
        }
        while true {
            attach(reader, target: heads)
            guard let (start, until) = try await live(to: &writer) else { return try await end(&writer) }
            reader = try await open(from: start, to: until)
            guard try await replay(reader, to: &writer) else { return try await end(&writer) }
        }
    }

    /// A stream without a past.
    @concurrent private func begin(reset: Bool, to writer: inout any ResponseBodyWriter) async throws -> CatchUpReader {
        let nowhere = PositionVector(eventStore.feed.heads.map { _ in 0 })
        let reader = try await open(from: nil, to: nowhere)
        var bytes = try hello(isResumed: false, at: reader.snapshot)
        if reset { bytes.writeImmutableBuffer(EventBlock(.reset, data: "{}".utf8).with(id(reader.snapshot))) }
        try await writer.write(bytes)
        return reader
    }

    private func open(
        from start: PositionVector?,
        to goal: PositionVector,
        hoping hoped: PositionVector? = nil
    ) async throws -> CatchUpReader {
        let (catchUp, person) = (hub.catchUp, subscription.person)
        return try await onATaskOfItsOwn { try await catchUp.open(person, from: start, to: goal, hoping: hoped) }
    }

    /// Writes what was missed, as fast as the client takes it.
    ///
    /// - Returns: false where the stream must end before all was written.
    @concurrent private func replay(
        _ reader: CatchUpReader,
        to writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        while let page = try await onATaskOfItsOwn({ try await reader.next() }) {
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
            if bytes.readableBytes > 0 { try await writer.write(bytes) }
            subscription.progressed()
        }
        return subscription.ending == nil
    }

    /// What a task has used of its own memory it keeps until it ends, and a stream's task may live for hours: so what
    /// reads the database runs on another.
    private func onATaskOfItsOwn<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        async let result = body()
        return try await result
    }

    private func attach(_ reader: CatchUpReader, target: PositionVector) {
        hub.attach(
            HubState.Attachment(
                subscription: subscription,
                snapshot: reader.snapshot,
                conversations: reader.conversations,
                target: target
            )
        )
    }

    /// Writes what happens, as it happens.
    ///
    /// - Returns: from where and to where to read the log, where the stream has fallen behind; nil where it must end.
    @concurrent private func live(
        to writer: inout any ResponseBodyWriter
    ) async throws -> (start: PositionVector, until: PositionVector)? {
        while true {
            switch await subscription.next() {
            case .write(let chunks): try await writer.write(contentsOf: chunks)
            case .catchUp(let start, let until): return (start, until)
            case .end: return nil
            }
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
