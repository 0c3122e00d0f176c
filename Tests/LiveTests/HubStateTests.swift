import EventStore
import Foundation
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import Live

struct HubStateTests: HubScene {
    @Test func `what a person has said comes with what is next, or at the second turn of the clock`() {
        var hub = makeHub()
        let (own, other) = (open(&hub, ada), open(&hub, ben))
        for stream in [own, other] { attach(&hub, stream, in: [room]) }
        _ = (texts(own), texts(other))

        var said = message(hub, "one")
        said.blocks.deferrable = [ada]
        hub.publish(said)
        #expect(texts(other) == ["one"])
        #expect(texts(own).isEmpty)
        hub.publish(message(hub, "two"))
        #expect(texts(own) == ["one", "two"])

        said = message(hub, "three")
        said.blocks.deferrable = [ada]
        hub.publish(said)
        hub.flushDeferred()
        #expect(texts(own).isEmpty)
        hub.flushDeferred()
        #expect(texts(own) == ["three"])
    }

    @Test func `members get a message, others do not`() {
        var hub = makeHub()
        let (member, stranger) = (open(&hub, ada), open(&hub, ben))
        attach(&hub, member, in: [room])
        attach(&hub, stranger, in: [])
        hub.publish(message(hub, "hi"))
        #expect(texts(member) == ["ready", "hi"])
        #expect(texts(stranger) == ["ready"])
    }

    @Test func `counts that could not be read are asked for again`() {
        var hub = makeHub()
        attach(&hub, open(&hub, ada), in: [room])
        var item = message(hub, "hi")
        item.unread = .membersWithout(ben, of: room)
        hub.publish(item)
        let pending = UnreadMarks.Pending(conversation: room, people: [ada])
        let (first, then) = (hub.takeUnread(projected: [1, 0]), hub.takeUnread(projected: [1, 0]))
        hub.retryUnread(ada, in: room, 0)
        let again = hub.takeUnread(projected: [1, 0])
        #expect(first == [pending] && then.isEmpty && again == [pending])
    }

    @Test func `one's own message tells one's counts only where the conversation was cleared, and once`() {
        var hub = makeHub()
        let subscription = open(&hub, ada)
        attach(&hub, subscription, in: [room])
        func ownMessage() -> HubItem {
            var item = message(hub, "mine")
            item.unread = .membersWithout(ada, of: room)
            item.clearing = .said(in: room, by: ada)
            return item
        }
        hub.publish(ownMessage())
        #expect(hub.takeUnread(projected: [1, 0]).isEmpty)
        var clearing = HubItem(partition: 0, position: 2)
        clearing.clearing = .cleared(room, by: ada)
        hub.publish(clearing)
        hub.publish(ownMessage())
        let pending = hub.takeUnread(projected: [3, 0])
        #expect(pending == [UnreadMarks.Pending(conversation: room, people: [ada])])
        hub.publish(ownMessage())
        #expect(hub.takeUnread(projected: [4, 0]).isEmpty)
    }

    @Test func `a view that was read is told anew where more was told of it since`() {
        var hub = makeHub()
        for person in [ada, ben] { attach(&hub, open(&hub, person), in: [room]) }
        func known() -> Hub.ViewsKnown {
            Hub.ViewsKnown(position: hub.vector[0], viewsPublished: hub.publishedViews.count, epoch: hub.epoch)
        }
        func isPublished(_ person: UUID, since known: Hub.ViewsKnown) -> Bool {
            hub.hasPublishedView(of: person, in: room, 0, since: known)
        }
        let start = known()
        var receipt = HubItem(partition: 0, position: 1)
        receipt.unread = .people([ada], of: room)
        hub.publish(receipt)
        #expect(isPublished(ada, since: start) && !isPublished(ben, since: start) && !isPublished(ada, since: known()))
        let afterReceipt = known()
        var message = message(hub, "hi")
        message.clearing = .said(in: room, by: ben)
        hub.publish(message)
        #expect(isPublished(ada, since: afterReceipt) && isPublished(ben, since: afterReceipt))
        let afterMessage = known()
        hub.publish(HubItem(partition: 1, position: 1))
        #expect(!isPublished(ada, since: afterMessage))
        hub.publishedViews.add(ada, in: room)
        #expect(isPublished(ada, since: afterMessage) && !isPublished(ben, since: afterMessage))
        #expect(hub.publishedViews.people(in: room, since: afterMessage.viewsPublished) == [ada])
        #expect(hub.publishedViews.people(in: UUID(), since: 0).isEmpty)
    }

    @Test func `a view that was told is told anew where the items since are gone`() {
        var hub = makeHub { $0.recentItems = 2 }
        let start = Hub.ViewsKnown(position: 0, viewsPublished: 0, epoch: hub.epoch)
        for _ in 0..<3 { hub.publish(message(hub, "hi")) }
        #expect(hub.hasPublishedView(of: ada, in: room, 0, since: start))
    }

    @Test func `a stream is ready where the hub stops before an event of a newer program`() {
        var hub = makeHub()
        let waiting = open(&hub, ada)
        hub.attach(
            HubState.Attachment(
                subscription: waiting,
                epoch: hub.epoch,
                snapshot: hub.vector,
                conversations: [room],
                target: PositionVector([3, 0])
            )
        )
        hub.publish(message(hub, "understood"))
        #expect(texts(waiting).isEmpty)
        let areNews = [hub.stop(0, before: 2, in: hub.epoch), hub.stop(0, before: 2, in: hub.epoch)]
        #expect(areNews == [true, false])
        #expect(texts(waiting) == ["understood", "ready"])
        hub.publish(message(hub, "elsewhere", in: 1))
        #expect(texts(waiting) == ["elsewhere"])
        #expect(hub.readable(PositionVector([3, 5])) == PositionVector([1, 5]))
    }

    @Test func `the sender gets another rendering than the others`() {
        var hub = makeHub()
        let (one, other) = (open(&hub, ada), open(&hub, ben))
        for subscription in [one, other] { attach(&hub, subscription, in: [room]) }
        var item = message(hub, "theirs")
        item.blocks.byPerson[ada] = EventBlock(.messageCreated, data: "mine".utf8)
        hub.publish(item)
        #expect(texts(one) == ["ready", "mine"])
        #expect(texts(other) == ["ready", "theirs"])
    }

    @Test func `who is removed gets the removal and nothing after it`() {
        var hub = makeHub()
        let subscription = open(&hub, ada)
        attach(&hub, subscription, in: [room])
        var removal = message(hub, "removed")
        removal.membership = .left(conversation: room, person: ada)
        hub.publish(removal)
        hub.publish(message(hub, "after"))
        #expect(texts(subscription) == ["ready", "removed"])
    }

    @Test func `who is added gets the adding and what follows`() {
        var hub = makeHub()
        let subscription = open(&hub, ada)
        attach(&hub, subscription, in: [])
        hub.publish(message(hub, "before"))
        var adding = message(hub, "added")
        adding.membership = .joined(conversation: room, people: [ada])
        hub.publish(adding)
        hub.publish(message(hub, "after"))
        #expect(texts(subscription) == ["ready", "added", "after"])
    }

    @Test func `a stream whose block was not rendered is sent to the log`() {
        var hub = makeHub()
        let subscription = open(&hub, ada)
        attach(&hub, subscription, in: [room])
        _ = texts(subscription)
        var item = message(hub, "for others")
        item.blocks.byPerson.updateValue(nil, forKey: ada)
        hub.publish(item)
        #expect(subscription.takeNow() == .catchUp(from: zero, until: PositionVector([1, 0])))
    }

    @Test func `a stream that is ahead of the hub waits for it`() {
        var hub = makeHub()
        let subscription = open(&hub, ada)
        let ahead = PositionVector([1, 1])
        hub.attach(
            HubState.Attachment(
                subscription: subscription,
                epoch: hub.epoch,
                snapshot: ahead,
                conversations: [room],
                target: ahead
            )
        )
        hub.publish(message(hub, "seen already"))
        #expect(subscription.takeNow() == nil)
        hub.publish(message(hub, "seen already", in: 1))
        hub.publish(message(hub, "new"))
        #expect(texts(subscription) == ["ready", "new"])
    }

    @Test func `a heartbeat carries the cursor to the streams of its slot`() {
        var hub = makeHub()
        let streams = [open(&hub, ada), open(&hub, ben, heartbeatsAreEvents: true)]
        for subscription in streams {
            attach(&hub, subscription, in: [])
            _ = texts(subscription)
        }
        hub.publish(message(hub, "for nobody here"))
        for slot in 0..<2 { hub.beat(slot: UInt64(slot), of: 2) }
        let id = EventID(hub.vector, epoch: 1)
        #expect(streams[0].takeNow() == .write([HubBlocks.heartbeat(id)]))
        #expect(streams[1].takeNow() == .write([HubBlocks.ping.with(id)]))
    }

    @Test func `a client that takes nothing is cut after so many checks`() async {
        var hub = makeHub { $0.stalledChecks = 3 }
        let subscription = open(&hub, ada)
        await confirmation { cut in
            subscription.onAbort { cut() }
            // Nothing is written to it while it waits, and what it took is no stall.
            for _ in 0..<10 { hub.checkStalls() }
            subscription.beginsWriting()
            for _ in 0..<3 { hub.checkStalls() }
            subscription.endsWriting()
            subscription.beginsWriting()
            for _ in 0..<3 { hub.checkStalls() }
            #expect(subscription.ending == nil)
            hub.checkStalls()
        }
        #expect(subscription.ending == .closed)
    }

    @Test(arguments: 0..<60)
    func `every client sees each of its events once and in order, whatever is cut or late`(seed: UInt64) {
        var world = HubSimulation(seed: seed)
        for _ in 0..<400 { world.step() }
        world.deliverAll()
        for client in world.clients {
            for partition in 0..<world.partitions {
                #expect(world.received(client, of: partition) == world.expected(client, of: partition))
            }
        }
    }

    @Test func `the simulation does overflow and cut`() {
        var (connections, fallbacks) = (0, 0)
        for seed in 0..<20 {
            var world = HubSimulation(seed: UInt64(seed))
            for _ in 0..<400 { world.step() }
            connections += world.clients.reduce(0) { $0 + $1.connections }
            fallbacks += world.fallbacks
        }
        #expect(connections > 200)
        #expect(fallbacks > 100)
    }
}
