import EventStore
import Foundation
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import Live

struct HubStateTests {
    private let ada = UUID(), ben = UUID(), room = UUID()
    private let zero = PositionVector([0, 0])

    private func makeHub(_ change: (inout StreamLimits) -> Void = { _ in }) -> HubState {
        var limits = StreamLimits()
        change(&limits)
        return HubState(epoch: Epoch(generation: 0, id: 1, heads: [0, 0]), startingAt: zero, limits: limits)
    }

    private func open(
        _ hub: inout HubState,
        _ person: UUID,
        session: UUID = UUID(),
        expiresAt: Date = .distantFuture,
        heartbeatsAreEvents: Bool = false
    ) -> Subscription {
        hub.open(
            StreamOwner(person: person, session: session, expiresAt: expiresAt),
            heartbeatsAreEvents: heartbeatsAreEvents
        )
    }

    private func attach(_ hub: inout HubState, _ subscription: Subscription, in conversations: Set<UUID>) {
        hub.attach(
            HubState.Attachment(
                subscription: subscription,
                epoch: hub.epoch,
                snapshot: hub.vector,
                conversations: conversations,
                target: hub.vector
            )
        )
    }

    private func message(_ hub: HubState, _ text: String, in partition: Int = 0) -> HubItem {
        var item = HubItem(partition: partition, position: hub.vector[partition] + 1)
        item.audience = .members(of: room)
        item.blocks.others = EventBlock(.messageCreated, data: text.utf8)
        return item
    }

    private func texts(_ subscription: Subscription) -> [String] {
        var client = SentEvents()
        while case .write(let chunks) = subscription.takeNow() {
            for chunk in chunks { client.feed(chunk) }
        }
        return client.events.map { $0.name == "message.created" ? $0.data : $0.name }
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
