import CoreMetrics
import EventStore
import Foundation
import NIOCore
import ParleyWire

/// The hub without its tasks: what was passed on, who is there, and who gets what. Everything here happens under one lock,
/// so that each stream sees the events in the order of the one vector that stands behind all ids.
struct HubState {
    /// That of all positions here.
    private(set) var epoch: Epoch
    private let limits: StreamLimits
    private(set) var vector: PositionVector
    private(set) var isDraining = false
    /// The first event of each partition that this program does not know.
    var stops: [Int: Int64] = [:]
    /// How often a stream was sent back to the log.
    private(set) var fallbacks = 0
    /// How often a stream was ended, also one that had its end already.
    private(set) var endings = 0
    /// How often somebody's new name was passed on: what was rendered before shows the old one, and must not follow it.
    private(set) var nameChanges = 0
    /// How often somebody was told to be erased: what was rendered before may show texts of that person.
    private(set) var erasures = 0
    private var routes = RoutingTable<Subscription>()
    private(set) var recent: RecentItems
    private var streams: SessionStreams
    /// By the number of the stream.
    private var waiting: [UInt64: Attachment] = [:]
    private var deferred = DeferredStreams()
    private var unread = UnreadMarks()
    private var cleared = ClearedViews()
    var publishedViews = PublishedViews()
    private var lastID: UInt64 = 0
    private let presences: Presences?

    init(epoch: Epoch, startingAt start: PositionVector, limits: StreamLimits, presences: Presences? = nil) {
        self.epoch = epoch
        self.presences = presences
        self.limits = limits
        vector = start
        recent = RecentItems(startingAt: start, maxItems: limits.recentItems, maxBytes: limits.recentBytes)
        streams = SessionStreams(limit: limits.streamsPerSession)
    }

    // MARK: Streams come and go

    mutating func open(_ owner: StreamOwner, heartbeatsAreEvents: Bool) -> Subscription {
        lastID += 1
        let buffer = SubscriptionBuffer(
            from: vector,
            maxChunks: limits.bufferedChunks,
            maxBytes: limits.bufferedBytes
        )
        let subscription = Subscription(
            id: lastID,
            owner: owner,
            heartbeatsAreEvents: heartbeatsAreEvents,
            buffer: buffer
        )
        if isDraining {
            subscription.end(.goAway(.draining))
        } else if let replaced = streams.open(subscription) {
            end(replaced, .goAway(.replaced))
        }
        presences?.opened(subscription)
        return subscription
    }

    mutating func close(_ subscription: Subscription) {
        streams.close(subscription)
        end(subscription, .closed)
        presences?.closed(subscription)
    }

    mutating func end(session: UUID) {
        for subscription in streams.streams(of: session) {
            end(subscription, .goAway(.revoked))
            presences?.revoked(subscription)
        }
    }

    mutating func endExpired(at now: Date) {
        for subscription in streams.all where subscription.expiresAt <= now {
            end(subscription, .goAway(.tokenExpired))
        }
    }

    mutating func drain() {
        guard !isDraining else { return }
        isDraining = true
        for subscription in streams.all { end(subscription, .goAway(.draining)) }
    }

    private mutating func end(_ subscription: Subscription, _ end: StreamEnd) {
        endings += 1
        detach(subscription)
        waiting[subscription.id] = nil
        subscription.end(end)
    }

    /// Goes on from where the log ends in a new epoch: what was known is forgotten, and every stream begins anew.
    mutating func restart(in epoch: Epoch) {
        guard epoch.generation > self.epoch.generation else { return }
        self.epoch = epoch
        vector = PositionVector(epoch.heads)
        stops = [:]
        routes = RoutingTable()
        recent = RecentItems(startingAt: vector, maxItems: limits.recentItems, maxBytes: limits.recentBytes)
        waiting = [:]
        unread = UnreadMarks()
        cleared = ClearedViews()
        for subscription in streams.all { subscription.restart() }
    }

    /// Joins a stream to the live events, at once or as soon as the hub has come as far as the stream.
    mutating func attach(_ attachment: Attachment) {
        guard attachment.subscription.ending == nil else { return }
        guard attachment.epoch == epoch else { return attachment.subscription.restart() }
        guard isReached(attachment) else {
            waiting[attachment.subscription.id] = attachment
            return
        }
        join(attachment)
    }

    private mutating func join(_ attachment: Attachment) {
        let subscription = attachment.subscription
        let person = subscription.person
        var conversations = attachment.conversations
        var ownCleared = ClearedViews(attachment.cleared, by: person)
        var cursor = attachment.snapshot
        var chunks: [ByteBuffer] = []
        guard let missed = recent.items(after: cursor) else {
            return subscription.fallBehind(from: attachment.snapshot, until: vector)
        }
        for item in missed {
            var isConcerned = item.audience.includes(person, memberOf: conversations)
            item.membership?.apply(to: &conversations, of: person)
            isConcerned = isConcerned || item.audience.includes(person, memberOf: conversations)
            cursor.advance(item.partition, to: item.position)
            let counted = ownCleared.unread(after: item, isNoted: item.clearing?.person == person)
            guard isConcerned else { continue }
            guard let block = item.blocks.block(for: person) else {
                return subscription.fallBehind(from: attachment.snapshot, until: vector)
            }
            chunks.append(block.with(EventID(cursor, epoch: epoch.id)))
            // Whoever was there was told of the counts already.
            unread.add(counted.restricted(to: person), partition: item.partition, position: item.position)
        }
        routes.attach(subscription, of: person, in: conversations)
        cleared.add(ownCleared)
        subscription.goLive(from: attachment.snapshot, with: chunks, at: vector, ready: HubBlocks.ready)
        presences?.isLive(subscription)
    }

    // MARK: Events

    /// Passes on the next event of a partition. Every event comes here, in order, also those that concern nobody.
    mutating func publish(_ item: HubItem) {
        guard item.position == vector[item.partition] + 1 else {
            preconditionFailure("a partition's pipeline passes events on one by one, from where the hub is")
        }
        let before = routes.people(in: item.audience)
        var concerned = before
        if let step = item.membership {
            routes.apply(step)
            concerned.formUnion(routes.people(in: item.audience))
        }
        if item.audience.isAboutAPerson { nameChanges += 1 }
        if let person = item.erased {
            erasures += 1
            recent.forget(person)
        }
        // What is passed on is understood: a stop before it was of a log that has lost the event.
        if let stop = stops[item.partition], stop <= item.position { stops[item.partition] = nil }
        vector.advance(item.partition, to: item.position)
        if !concerned.isEmpty { deliver(item, to: concerned) }
        let isNoted = item.clearing.map { isConnected($0.person) } ?? false
        let counted = cleared.unread(after: item, isNoted: isNoted)
        unread.add(counted, partition: item.partition, position: item.position)
        recent.append(item)
        joinWaiting()
    }

    private mutating func deliver(_ item: HubItem, to people: Set<UUID>) {
        let id = EventID(vector, epoch: epoch.id)
        let shared = item.blocks.others?.with(id)
        for person in people {
            let own = item.blocks.byPerson[person]
            let chunk = own.map { $0?.with(id) } ?? shared
            let isDeferrable = item.blocks.deferrable.contains(person)
            for subscription in routes.subscribers(of: person) {
                guard let chunk, subscription.offer(chunk, at: vector, deferrable: isDeferrable) else {
                    fallBehind(subscription)
                    continue
                }
                if isDeferrable { deferred.insert(subscription) }
            }
        }
    }

    private mutating func fallBehind(_ subscription: Subscription) {
        fallbacks += 1
        StreamMetrics.fallbacks.increment()
        detach(subscription)
        subscription.fallBehind(until: vector)
    }

    private mutating func detach(_ subscription: Subscription) {
        routes.detach(subscription, of: subscription.person)
        if !isConnected(subscription.person) { cleared.forget(subscription.person) }
    }

    mutating func joinWaiting() {
        guard !waiting.isEmpty else { return }
        let ready = waiting.values.filter(isReached)
        for attachment in ready {
            waiting[attachment.subscription.id] = nil
            if attachment.subscription.ending == nil { join(attachment) }
        }
    }

    private func isReached(_ attachment: Attachment) -> Bool {
        vector.covers(readable(attachment.target)) && vector.covers(attachment.snapshot)
    }

    /// Whom an event will reach if nothing changes until it is passed on: tells what is worth rendering.
    func connected(_ audience: Audience) -> Set<UUID> {
        routes.people(in: audience)
    }

    func isConnected(_ person: UUID) -> Bool {
        liveStreams(of: person) > 0
    }

    func liveStreams(of person: UUID) -> Int {
        routes.subscribers(of: person).count
    }

    // MARK: The shared clock

    /// Tells the streams of one slot where they are, so that an idle client's cursor is never old.
    mutating func beat(slot: UInt64, of slots: UInt64) {
        let id = EventID(vector, epoch: epoch.id)
        let (comment, ping) = (HubBlocks.heartbeat(id), HubBlocks.ping.with(id))
        for subscription in streams.all where subscription.id % slots == slot {
            guard routes.subscribers(of: subscription.person).contains(subscription) else { continue }
            if !subscription.offer(subscription.heartbeatsAreEvents ? ping : comment, at: vector) {
                fallBehind(subscription)
            }
        }
    }

    /// Writes what has waited for company since the call before this one.
    mutating func flushDeferred() {
        for subscription in deferred.takeOldest() { subscription.flush() }
    }

    func checkStalls() {
        for subscription in streams.all { subscription.checkStall(limit: limits.stalledChecks) }
    }

    var openStreams: Int { streams.count }

    /// Whether anybody's counts are to be told, be it only once the read models know more.
    var hasUnread: Bool { !unread.isEmpty }

    mutating func takeUnread(projected: [Int64]) -> [UnreadMarks.Pending] {
        guard !unread.isEmpty else { return [] }
        let routes = routes
        return unread.take(
            projected: projected,
            members: { routes.connectedMembers(of: $0) },
            isConnected: { !routes.subscribers(of: $0).isEmpty }
        )
    }

    /// Asks for counts again that could not be read.
    mutating func retryUnread(_ person: UUID, in conversation: UUID, _ partition: Int) {
        unread.add(.people([person], of: conversation), partition: partition, position: 0)
    }

    /// Tells one person something that is no event of the log.
    mutating func send(to person: UUID, _ block: EventBlock) {
        for subscription in routes.subscribers(of: person) where !subscription.offer(block.withoutID, at: nil) {
            fallBehind(subscription)
        }
    }

    /// Tells a stream something that is no event of the log; one that is not live now learns it when it is.
    mutating func send(_ piece: ByteBuffer, to subscription: Subscription) {
        if !subscription.offer(piece, at: nil) { fallBehind(subscription) }
    }
}
