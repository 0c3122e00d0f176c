import EventStore
import Foundation
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import Live

/// What ends streams, and which.
struct HubEndingTests: HubScene {
    @Test func `the ninth stream of a session ends the oldest`() {
        var hub = makeHub()
        let session = UUID()
        let streams = (0..<9).map { _ in open(&hub, ada, session: session) }
        #expect(streams[0].ending == .goAway(.replaced))
        #expect(streams.dropFirst().allSatisfy { $0.ending == nil })
        let ofAnotherSession = open(&hub, ada)
        #expect(ofAnotherSession.ending == nil)
    }

    @Test func `a revoked session's streams end, and only they`() {
        var hub = makeHub()
        let session = UUID()
        let (revoked, other) = (open(&hub, ada, session: session), open(&hub, ada))
        attach(&hub, revoked, in: [room])
        attach(&hub, other, in: [room])
        _ = (texts(revoked), texts(other))
        hub.end(session: session)
        hub.publish(message(hub, "secret"))
        #expect(revoked.takeNow() == .end(.goAway(.revoked)))
        #expect(texts(other) == ["secret"])
    }

    @Test func `an expired token ends its stream`() {
        var hub = makeHub()
        let now = Date(timeIntervalSince1970: 1_000)
        let expired = open(&hub, ada, expiresAt: now)
        let valid = open(&hub, ada, expiresAt: now.addingTimeInterval(1))
        hub.endExpired(at: now)
        #expect(expired.ending == .goAway(.tokenExpired))
        #expect(valid.ending == nil)
    }

    @Test func `draining ends every stream, also those that come later`() {
        var hub = makeHub()
        let early = open(&hub, ada)
        hub.drain()
        #expect(early.ending == .goAway(.draining))
        let late = open(&hub, ben)
        #expect(late.ending == .goAway(.draining))
    }

    @Test func `each stream asks for draining, and the first ends each of them once`() {
        var hub = makeHub()
        let count = 10_000
        let streams = (0..<count).map { _ in open(&hub, UUID()) }
        for stream in streams.prefix(count / 2) { attach(&hub, stream, in: [room]) }
        let before = hub.endings
        for _ in streams { hub.drain() }
        #expect(hub.endings - before == count)
        #expect(streams.allSatisfy { $0.ending == .goAway(.draining) })
        #expect(!hub.isConnected(streams[0].person))
        _ = open(&hub, ada)
        hub.drain()
        #expect(hub.endings - before == count)
    }
}
