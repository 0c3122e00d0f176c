import EventStore
import Foundation
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import Live

/// What becomes of streams when the log goes on in another epoch.
struct HubEpochTests: HubScene {
    private func next(_ hub: HubState, at heads: [Int64]) -> Epoch {
        Epoch(generation: hub.epoch.generation + 1, id: hub.epoch.id + 1, heads: heads)
    }

    @Test func `a new epoch drops what a stream has not taken, and has it begin anew`() {
        var hub = makeHub()
        let subscription = open(&hub, ada)
        attach(&hub, subscription, in: [room])
        _ = texts(subscription)
        hub.publish(message(hub, "lost"))
        hub.restart(in: next(hub, at: [0, 7]))
        #expect(subscription.takeNow() == .restart)
        #expect(hub.vector == PositionVector([0, 7]))
        attach(&hub, subscription, in: [room])
        hub.publish(message(hub, "kept"))
        #expect(texts(subscription) == ["ready", "kept"])
        // Told once, however often it is heard.
        hub.restart(in: hub.epoch)
        #expect(subscription.takeNow() == nil)
    }

    @Test func `a stream that has caught up in an epoch that is over begins anew`() {
        var hub = makeHub()
        let (waiting, late) = (open(&hub, ada), open(&hub, ben))
        let old = hub.epoch
        let ahead = PositionVector([3, 3])
        func attachment(_ subscription: Subscription) -> HubState.Attachment {
            HubState.Attachment(
                subscription: subscription,
                epoch: old,
                snapshot: ahead,
                conversations: [room],
                target: ahead
            )
        }
        hub.attach(attachment(waiting))
        hub.restart(in: next(hub, at: [3, 3]))
        #expect(waiting.takeNow() == .restart)
        #expect(late.isOutdated)
        #expect(late.takeNow() == .restart)
        hub.attach(attachment(late))
        #expect(late.takeNow() == .restart)
        hub.publish(message(hub, "new"))
        #expect(texts(waiting).isEmpty)
    }

    @Test func `a stop of an epoch that is over does not hold in the next`() {
        var hub = makeHub()
        let old = hub.epoch
        let first = hub.stop(0, before: 1, in: old)
        hub.restart(in: next(hub, at: [0, 0]))
        let late = hub.stop(0, before: 1, in: old)
        #expect((first, late) == (true, false))
        #expect(hub.readable(PositionVector([3, 5])) == PositionVector([3, 5]))
        let present = hub.stop(0, before: 1, in: hub.epoch)
        #expect(present)
    }

    @Test func `a stream that has ended does not begin anew`() {
        var hub = makeHub()
        let session = UUID()
        let subscription = open(&hub, ada, session: session)
        hub.end(session: session)
        hub.restart(in: next(hub, at: [0, 0]))
        #expect(subscription.takeNow() == .end(.goAway(.revoked)))
    }
}
