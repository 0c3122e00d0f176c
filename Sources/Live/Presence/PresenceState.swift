import Foundation
import ReadModels

/// Presence without its tasks: who is there, whose presence streams show, and what is still to be delivered to them.
struct PresenceState {
    /// One person's presence is delivered once in this time, whatever happens meanwhile.
    private static let interval: Duration = .seconds(1)
    /// As many events are delivered at once: the rest waits, and is delivered as it is by then.
    private static let mostEvents = 20_000
    /// What a session does elsewhere is passed on so often.
    private static let wordInterval: Duration = .seconds(60)
    /// Of more sessions it is forgotten when.
    private static let mostWords = 20_000

    var board: PresenceBoard
    private var watchers = PresenceWatchers<Subscription>()
    /// The live streams by person.
    private var streams: [UUID: Set<Subscription>] = [:]
    /// Whose targets are to be read, or read again. Until then they are told of nobody: rights may have ended.
    private var due: [Subscription: Due] = [:]
    private var reading: Set<Subscription> = []
    /// Whom others may not be able to see any more since those that are being read were taken.
    private var changedMeanwhile: Set<UUID> = []
    /// The newest events that may have ended a right, by partition: what is read is no older than they are.
    private(set) var rightsPositions: [Int: Int64] = [:]
    /// Those of them that have passed by since the streams that are being read were taken.
    private var rightsMeanwhile: [Int: Int64] = [:]
    /// Streams that have been read, and what is to be delivered to each that has not to do with a change.
    private var read: [Subscription: [UUID: Date?]] = [:]
    private var changed: [UUID: Date?] = [:]
    private var deliveredAt: [UUID: ContinuousClock.Instant] = [:]
    private var wordsAt: [UUID: ContinuousClock.Instant] = [:]

    init(at now: ContinuousClock.Instant = .now) {
        board = PresenceBoard(at: now)
    }

    /// A stream whose targets are to be read.
    struct Due: Equatable {
        /// Whether the client may have missed something, or shows what it may not see any more: it gets those who are offline,
        /// or not to be seen, too.
        var includesOffline = false

        mutating func merge(_ other: Due) {
            includesOffline = includesOffline || other.includesOffline
        }
    }

    // MARK: Streams

    /// A stream gets what happens from now on.
    mutating func isLive(_ stream: Subscription) {
        let isKnown = streams[stream.person, default: []].insert(stream).inserted == false
        refresh([stream], Due(includesOffline: isKnown))
    }

    mutating func ended(_ stream: Subscription) {
        streams[stream.person]?.remove(stream)
        if streams[stream.person]?.isEmpty == true { streams[stream.person] = nil }
        watchers.remove(stream)
        (due[stream], read[stream]) = (nil, nil)
        reading.remove(stream)
    }

    mutating func subscriptionsChanged(of session: UUID, by person: UUID) {
        refresh(streams[person]?.filter { $0.session == session } ?? [], Due(includesOffline: true))
    }

    /// Reads again whose presence the streams of some people show, and which streams show others'.
    mutating func rightsChanged(of viewers: [UUID], seeing people: [UUID], in partition: Int, at position: Int64) {
        rightsPositions[partition] = max(rightsPositions[partition] ?? 0, position)
        rightsMeanwhile[partition] = max(rightsMeanwhile[partition] ?? 0, position)
        var concerned: Set<Subscription> = []
        for viewer in viewers { concerned.formUnion(streams[viewer] ?? []) }
        for person in people { concerned.formUnion(watchers.watchers(of: person)) }
        refresh(concerned, Due(includesOffline: true))
        // Whom those watch that are being read is known only afterwards.
        if !reading.isEmpty { changedMeanwhile.formUnion(people) }
    }

    /// Forgets the events that the log has lost, as it may where its epoch ends: nobody waits for them, but for all that it
    /// holds, where the newest that was not lost may be.
    ///
    /// - Parameter heads: read after streams were last taken. What has passed by since may be newer, and is waited for.
    mutating func forgetRights(beyond heads: [Int64]) {
        for (partition, position) in rightsPositions {
            let head = heads.indices.contains(partition) ? heads[partition] : 0
            let left = max(min(position, head), rightsMeanwhile[partition] ?? 0)
            rightsPositions[partition] = left > 0 ? left : nil
        }
    }

    private mutating func refresh(_ streams: Set<Subscription>, _ more: Due) {
        for stream in streams { due[stream, default: Due()].merge(more) }
    }

    // MARK: Targets

    var isReadDue: Bool { !due.isEmpty }
    /// Whether some streams show nobody's presence yet, or not now.
    var isReading: Bool { !due.isEmpty || !reading.isEmpty }

    /// Called once those that were taken before have been read, or put back.
    mutating func takeDue(atMost limit: Int) -> [(stream: Subscription, due: Due)] {
        (changedMeanwhile, rightsMeanwhile) = ([], [:])
        let taken = due.prefix(limit).map { (stream: $0.key, due: $0.value) }
        for (stream, _) in taken {
            due[stream] = nil
            reading.insert(stream)
        }
        return taken
    }

    /// Has those read again that could not be.
    mutating func putBack(_ taken: [(stream: Subscription, due: Due)]) {
        for (stream, more) in taken where reading.remove(stream) != nil { due[stream, default: Due()].merge(more) }
    }

    mutating func hasRead(_ targets: [Queries.PresenceTarget], of stream: Subscription, _ done: Due) {
        // To what was asked for again since, or has ended, nothing is delivered that is over.
        guard reading.remove(stream) != nil else { return }
        if !changedMeanwhile.isDisjoint(with: targets.lazy.map(\.person)) { refresh([stream], Due()) }
        if var again = due[stream] {
            again.merge(done)
            due[stream] = again
            return
        }
        // Who cannot be seen is among them: what the stream was told of that before may be dropped with all that its client had
        // not taken, or is replaced here before it is delivered.
        var unsent: [UUID: Date?] = [:]
        for target in targets where done.includesOffline || isThere(target) {
            unsent.updateValue(target.lastSeen, forKey: target.person)
        }
        watchers.set(targets.map { .init(person: $0.person, isShown: $0.isShown) }, of: stream)
        read[stream] = unsent.isEmpty ? nil : unsent
    }

    private func isThere(_ target: Queries.PresenceTarget) -> Bool {
        target.isShown && board.status(of: target.person) > .offline
    }

    // MARK: What is to be delivered

    /// Somebody's presence, and the streams that it is delivered to.
    struct Delivery: Equatable {
        let person: UUID
        let status: PresenceBoard.Status
        let lastSeen: Date?
        var streams: [Subscription]
    }

    /// What is to be delivered to streams now, by person; at most so many as do not keep messages waiting.
    mutating func takeDeliveries(at now: ContinuousClock.Instant) -> [Delivery] {
        changed.merge(board.takeChanged()) { $1 }
        var deliveries: [UUID: Delivery] = [:]
        // Whom a client may not see any more is offline, as far as it knows.
        var hidden: [UUID: Delivery] = [:]
        var rest = Self.mostEvents
        for (person, lastSeen) in changed {
            guard rest > 0 else { break }
            if let last = deliveredAt[person], now - last < Self.interval { continue }
            changed.removeValue(forKey: person)
            // Those to which it is delivered below get it once.
            let streams = watchers.streams(shown: person).filter {
                due[$0] == nil && !reading.contains($0) && read[$0]?.keys.contains(person) != true
            }
            guard !streams.isEmpty else { continue }
            deliveredAt[person] = now
            rest -= streams.count
            deliveries[person] = delivery(person, lastSeen, streams)
        }
        // Those that are read again get what they may see by then.
        for (stream, unsent) in read where due[stream] == nil && !reading.contains(stream) {
            guard rest > 0 else { break }
            read[stream] = nil
            let targets = watchers.targets(of: stream)
            let shown = Set(targets.lazy.filter(\.isShown).map(\.person))
            rest -= unsent.count
            for (person, lastSeen) in unsent {
                if shown.contains(person) {
                    deliveries[person, default: delivery(person, lastSeen, [])].streams.append(stream)
                } else {
                    hidden[person, default: Delivery(person: person, status: .offline, lastSeen: nil, streams: [])]
                        .streams.append(stream)
                }
            }
        }
        if deliveredAt.count > Self.mostEvents { deliveredAt = deliveredAt.filter { now - $0.value < Self.interval } }
        return Array(deliveries.values) + hidden.values
    }

    private func delivery(_ person: UUID, _ lastSeen: Date?, _ streams: [Subscription]) -> Delivery {
        let status = board.status(of: person)
        return Delivery(person: person, status: status, lastSeen: status == .offline ? lastSeen : nil, streams: streams)
    }

    // MARK: Words from elsewhere

    /// Whether it is passed on to the other processes that a session, which has no stream here, has done something.
    mutating func passesOn(_ session: UUID, of person: UUID, at now: ContinuousClock.Instant) -> Bool {
        guard board.isElsewhere(person) else { return false }
        if let last = wordsAt[session], now - last < Self.wordInterval { return false }
        if wordsAt.count >= Self.mostWords { wordsAt = [:] }
        wordsAt[session] = now
        return true
    }
}
