package import Edge
package import EventStore
import Foundation
import Hummingbird
import Logging
import NIOCore
import ParleyWire

/// One open stream, from its first byte to its last: it catches up from the log, then takes from the hub what is live, and
/// goes back to the log whenever the hub says so.
package struct StreamConnection {
    static let heartbeatSeconds = 25
    /// Pieces of a catch-up are put together up to this size before they are written.
    private static let writeSize = 32 * 1_024

    let eventStore: EventStore
    let hub: Hub
    let subscription: Subscription
    let client: HTTPConnection

    package init(eventStore: EventStore, hub: Hub, subscription: Subscription, client: HTTPConnection) {
        self.eventStore = eventStore
        self.hub = hub
        self.subscription = subscription
        self.client = client
    }

    /// Writes until the stream ends; throws where the connection breaks, or the database cannot be read.
    package func run(from start: StreamStart) async throws {
        let heads = PositionVector(eventStore.feed.heads)
        var isLive = try await onATaskOfItsOwn { try await begin(from: start, upTo: heads) }
        while isLive, let gap = try await live() {
            isLive = try await onATaskOfItsOwn { try await close(gap, upTo: heads) }
        }
        try await end()
    }

    /// What a task has used of its own memory it keeps until it ends, and a stream's task may live for hours: so all but
    /// waiting for what is live runs on another. A group's, as `async let` takes its task from the memory of this one.
    @inline(never)
    private func onATaskOfItsOwn(_ body: @escaping @concurrent @Sendable () async throws -> Bool) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask(operation: body)
            return try await group.next() ?? false
        }
    }

    // MARK: Catching up

    /// - Returns: false where the stream must end before it is live.
    @concurrent private func begin(from start: StreamStart, upTo heads: PositionVector) async throws -> Bool {
        try await client.write(ByteBuffer(string: "retry: 1500\n\n"))
        let reader: CatchUpReader
        switch try await hub.checked(start) {
        case .now:
            reader = try await beginNow(reset: false)
        case .unknown:
            reader = try await beginNow(reset: true)
        case .after(let cursor):
            try await client.write(try hello(isResumed: true, at: cursor))
            reader = try await hub.catchUp.open(
                subscription.person,
                from: cursor,
                to: cursor,
                preferably: hub.readable(heads)
            )
            guard try await replay(reader) else { return false }
        }
        attach(reader, target: heads)
        return true
    }

    /// A stream without a past.
    @concurrent private func beginNow(reset: Bool) async throws -> CatchUpReader {
        let nowhere = PositionVector(eventStore.feed.heads.map { _ in 0 })
        let reader = try await hub.catchUp.open(subscription.person, from: nil, to: nowhere)
        var bytes = try hello(isResumed: false, at: reader.snapshot)
        if reset { bytes.writeImmutableBuffer(EventBlock(.reset, data: "{}".utf8).with(id(reader.snapshot))) }
        try await client.write(bytes)
        return reader
    }

    /// From where and to where to read the log, where the stream has fallen behind.
    private struct Gap {
        let start: PositionVector
        let end: PositionVector
    }

    /// - Returns: false where the stream must end before it is live again.
    @concurrent private func close(_ gap: Gap, upTo heads: PositionVector) async throws -> Bool {
        let reader = try await hub.catchUp.open(subscription.person, from: gap.start, to: gap.end)
        guard try await replay(reader) else { return false }
        attach(reader, target: heads)
        return true
    }

    /// Writes what was missed, as fast as the client takes it.
    ///
    /// - Returns: false where the stream must end before all was written.
    @concurrent private func replay(_ reader: CatchUpReader) async throws -> Bool {
        while let page = try await reader.next() {
            var bytes = ByteBuffer()
            for event in page {
                let block = try EventBlock(event.event)
                bytes.writeImmutableBuffer(event.vector.map { block.with(id($0)) } ?? block.withoutID)
                guard bytes.readableBytes >= Self.writeSize else { continue }
                if subscription.ending != nil { return false }
                try await client.write(bytes)
                subscription.progressed()
                bytes.clear()
            }
            if subscription.ending != nil { return false }
            if bytes.readableBytes > 0 { try await client.write(bytes) }
            subscription.progressed()
        }
        return subscription.ending == nil
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

    // MARK: Live

    /// Writes what happens, as it happens.
    ///
    /// - Returns: what to read from the log, where the stream has fallen behind; nil where it must end.
    private func live() async throws -> Gap? {
        while true {
            switch await subscription.next() {
            case .write(let chunks): try await client.write(ByteBuffer(joining: chunks))
            case .catchUp(let start, let until): return Gap(start: start, end: until)
            case .end: return nil
            }
        }
    }

    @inline(never)
    private func end() async throws {
        guard case .goAway(let reason) = subscription.ending else { return }
        // Spread, so that the clients of a server that stops do not all come to the next one at once.
        let wait = reason == .draining ? Int.random(in: 0...5_000) : 0
        let event = StreamEvent.goAway(StreamEvent.GoAway(reason: reason, reconnectInMs: wait))
        try await client.write(try EventBlock(event).withoutID)
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
