package import Edge
package import EventStore
import Foundation
import Hummingbird
import Logging
import NIOCore
package import ParleyWire

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
    /// The URLs of files for this session.
    let links: AttachmentLinks

    package init(
        eventStore: EventStore,
        hub: Hub,
        subscription: Subscription,
        client: HTTPConnection,
        links: AttachmentLinks
    ) {
        self.links = links
        self.eventStore = eventStore
        self.hub = hub
        self.subscription = subscription
        self.client = client
    }

    /// Writes until the stream ends; throws where the connection breaks, or the database cannot be read.
    ///
    /// - Parameters:
    ///   - beginning: the epoch in which the start was told. Whatever is written carries the epoch that was known before it
    ///     was read: so a cursor may be refused that could be continued, and never the other way round.
    ///   - place: in which it waits for its first turn.
    package func run(from start: StreamStart, in beginning: Epoch, with place: Turnstile.Place) async throws {
        var epoch = beginning
        var isLive = try await catchUp { try await begin(from: start, in: beginning, upTo: $0, with: place) }
        while isLive, let work = try await live() {
            switch work {
            case .close(let gap):
                isLive = try await catchUp { [epoch] in try await close(gap, in: epoch, upTo: $0) }
            case .restart:
                epoch = hub.epoch
                isLive = try await catchUp { [epoch] _ in try await restart(in: epoch) }
            }
        }
        try await end()
    }

    /// Goes on where an epoch ended meanwhile: that what was read has gone then is no fault of the stream.
    private func catchUp(
        _ body: @escaping @concurrent @Sendable (_ heads: PositionVector) async throws -> Bool
    ) async throws -> Bool {
        let heads = PositionVector(eventStore.feed.heads)
        do {
            return try await onTasksOfItsOwn { try await body(heads) }
        } catch {
            if subscription.ending != nil { return false }
            guard subscription.isOutdated else { throw error }
            return true
        }
    }

    /// What a task has used of its own memory it keeps until it ends, and a stream's task may live for hours: so all but
    /// waiting for what is live runs on others. A group's, as `async let` takes its task from the memory of this one.
    ///
    /// A stream that ends meanwhile, because the client has left for one, waits and reads no more.
    @inline(never)
    private func onTasksOfItsOwn(_ body: @escaping @concurrent @Sendable () async throws -> Bool) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask(operation: { try await body() })
            group.addTask { await keepAwake() }
            group.addTask {
                await subscription.waitForEnd()
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
                group.cancelAll()
            }
            return false
        }
    }

    /// A client that hears nothing for long takes its stream for dead, and so do proxies. Of where it is a client that
    /// catches up is told nothing but by what it has missed.
    ///
    /// - Returns: nil, when it is cancelled or the client has gone.
    private func keepAwake() async -> Bool? {
        do {
            while true {
                try await Task.sleep(for: hub.limits.heartbeat)
                try await write(HubBlocks.comment)
            }
        } catch {
            return nil
        }
    }

    /// Writes as fast as the client takes it.
    private func write(_ bytes: ByteBuffer) async throws {
        subscription.beginsWriting()
        defer { subscription.endsWriting() }
        try await client.write(links.filled(bytes))
    }

    // MARK: Catching up

    /// - Returns: false where the stream must end before it is live.
    @concurrent private func begin(
        from start: StreamStart,
        in epoch: Epoch,
        upTo heads: PositionVector,
        with place: Turnstile.Place
    ) async throws -> Bool {
        try await write(ByteBuffer(string: "retry: 1500\n\n"))
        let reader: CatchUpReader
        switch try await hub.checked(start) {
        case .now:
            reader = try await openNow(as: .kept(place))
            try await write(hello(isResumed: false, at: EventID(reader.snapshot, epoch: epoch.id)))
        case .unknown:
            reader = try await openNow(as: .kept(place))
            let id = EventID(reader.snapshot, epoch: epoch.id)
            try await write(ByteBuffer(joining: [hello(isResumed: false, at: id), reset(at: id)]))
        case .after(let cursor):
            try await write(hello(isResumed: true, at: EventID(cursor, epoch: epoch.id)))
            reader = try await hub.catchUp.open(
                subscription.person,
                from: cursor,
                to: cursor,
                preferably: hub.readable(heads),
                as: .kept(place)
            )
            guard try await replay(reader, in: epoch) else { return false }
        }
        attach(reader, in: epoch, target: heads)
        return true
    }

    /// Tells the client that nothing of what it has can be continued, and goes on from now.
    @concurrent private func restart(in epoch: Epoch) async throws -> Bool {
        let reader = try await openNow()
        try await write(reset(at: EventID(reader.snapshot, epoch: epoch.id)))
        attach(reader, in: epoch, target: PositionVector(epoch.heads))
        return true
    }

    /// A stream without a past.
    @concurrent private func openNow(as admission: Turnstile.Admission = .begun) async throws -> CatchUpReader {
        let nowhere = PositionVector(eventStore.feed.heads.map { _ in 0 })
        return try await hub.catchUp.open(subscription.person, from: nil, to: nowhere, as: admission)
    }

    /// From where and to where to read the log, where the stream has fallen behind.
    private struct Gap {
        let start: PositionVector
        let end: PositionVector
    }

    /// - Returns: false where the stream must end before it is live again.
    @concurrent private func close(_ gap: Gap, in epoch: Epoch, upTo heads: PositionVector) async throws -> Bool {
        let reader = try await hub.catchUp.open(subscription.person, from: gap.start, to: gap.end, as: .begun)
        guard try await replay(reader, in: epoch) else { return false }
        attach(reader, in: epoch, target: heads)
        return true
    }

    /// Writes what was missed, as fast as the client takes it.
    ///
    /// - Returns: false where the stream must end before all was written.
    @concurrent private func replay(_ reader: CatchUpReader, in epoch: Epoch) async throws -> Bool {
        while let page = try await reader.next() {
            var bytes = ByteBuffer()
            for event in page {
                let block = EventBlock(event.event)
                let id = event.vector.map { EventID($0, epoch: epoch.id) }
                bytes.writeImmutableBuffer(id.map { block.with($0) } ?? block.withoutID)
                guard bytes.readableBytes >= Self.writeSize else { continue }
                if subscription.ending != nil { return false }
                if subscription.isOutdated { return true }
                try await write(bytes)
                bytes.clear()
            }
            if subscription.ending != nil { return false }
            if subscription.isOutdated { return true }
            if bytes.readableBytes > 0 { try await write(bytes) }
        }
        return subscription.ending == nil
    }

    private func attach(_ reader: CatchUpReader, in epoch: Epoch, target: PositionVector) {
        hub.attach(
            HubState.Attachment(
                subscription: subscription,
                epoch: epoch,
                snapshot: reader.snapshot,
                conversations: reader.conversations,
                cleared: reader.cleared,
                target: target
            )
        )
    }

    // MARK: Live

    /// What a stream must do before it is live again.
    private enum Work {
        /// Read the log, where the stream has fallen behind.
        case close(Gap)
        case restart
    }

    /// Writes what happens, as it happens.
    ///
    /// - Returns: what to do before more can be written; nil where the stream must end.
    private func live() async throws -> Work? {
        while true {
            switch await subscription.next() {
            case .write(let chunks): try await write(ByteBuffer(joining: chunks))
            case .catchUp(let start, let until): return .close(Gap(start: start, end: until))
            case .restart: return .restart
            case .end: return nil
            }
        }
    }

    @inline(never)
    private func end() async throws {
        guard case .goAway(let reason) = subscription.ending else { return }
        // Spread, so that the clients of a server that stops do not all come to the next one at once.
        let wait =
            switch reason {
            case .draining: Int.random(in: 0...5_000)
            default: 0
            }
        let event = StreamEvent.goAway(StreamEvent.GoAway(reason: reason, reconnectInMs: wait))
        try await write(EventBlock(event).withoutID)
    }

    private func reset(at id: EventID) -> ByteBuffer {
        EventBlock(.reset, data: "{}".utf8).with(id)
    }

    private func hello(isResumed: Bool, at id: EventID) -> ByteBuffer {
        let hello = StreamEvent.Hello(
            resumed: isResumed,
            heartbeatSeconds: Self.heartbeatSeconds,
            serverTime: Date()
        )
        return EventBlock(.hello(hello)).with(id)
    }
}
