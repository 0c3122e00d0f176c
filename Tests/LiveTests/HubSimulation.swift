import EventStore
import Foundation
import NIOCore
import ParleyWire
import TestSupport

@testable import Live

/// A log, a hub and clients that are cut, lag and resume at random, without tasks or IO: the same for the same seed.
struct HubSimulation {
    enum Fact: Hashable {
        case message(seq: Int)
        case joined(person: Int)
        case left(person: Int)
    }

    struct Entry: Hashable {
        let conversation: Int
        let fact: Fact
    }

    struct Client {
        let person: Int
        var subscription: Subscription?
        var received = SentEvents()
        /// Where the first connection began: what happened before is none of the client's business.
        var start: PositionVector?
        var connections = 0
    }

    static let epoch = Epoch(generation: 0, id: 77, heads: [0, 0, 0])
    let partitions = 3
    let people: [UUID]
    let conversations: [UUID]
    var random: SeededRandom
    var log: [[Entry]]
    var hub: HubState
    var clients: [Client]
    var seqs: [Int]
    private(set) var fallbacks = 0

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        people = (0..<6).map { _ in UUID() }
        conversations = (0..<5).map { _ in UUID() }
        log = Array(repeating: [], count: 3)
        seqs = Array(repeating: 0, count: 5)
        var limits = StreamLimits()
        limits.bufferedChunks = 4
        limits.recentItems = 12
        hub = HubState(epoch: Self.epoch, startingAt: PositionVector([0, 0, 0]), limits: limits)
        clients = (0..<9).map { Client(person: $0 % 6) }
    }

    // MARK: What happens

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<35: append()
        case ..<65: pass()
        case ..<80: connect(Int.random(in: clients.indices, using: &random))
        case ..<92: take(Int.random(in: clients.indices, using: &random))
        case ..<95: hub.flushDeferred()
        default: cut(Int.random(in: clients.indices, using: &random))
        }
    }

    /// Passes everything on, connects everyone and lets everyone take everything.
    mutating func deliverAll() {
        for _ in 0..<50 {
            while hub.vector != heads { pass() }
            for _ in 0..<2 { hub.flushDeferred() }
            for index in clients.indices {
                connect(index)
                take(index)
            }
        }
    }

    var heads: PositionVector { PositionVector(log.map { Int64($0.count) }) }

    private mutating func append() {
        let conversation = Int.random(in: conversations.indices, using: &random)
        let person = Int.random(in: people.indices, using: &random)
        let isMember = members(of: conversation, at: heads).contains(person)
        let fact: Fact
        if random.chance(30) {
            fact = isMember ? .left(person: person) : .joined(person: person)
        } else {
            seqs[conversation] += 1
            fact = .message(seq: seqs[conversation])
        }
        log[conversation % partitions].append(Entry(conversation: conversation, fact: fact))
    }

    private mutating func pass() {
        let pending = (0..<partitions).filter { hub.vector[$0] < heads[$0] }
        guard let partition = pending.randomElement(using: &random) else { return }
        let position = hub.vector[partition] + 1
        let entry = log[partition][Int(position) - 1]
        let id = conversations[entry.conversation]
        var item = HubItem(partition: partition, position: position)
        item.audience = .members(of: id)
        switch entry.fact {
        case .message: break
        case .joined(let person): item.membership = .joined(conversation: id, people: [people[person]])
        case .left(let person): item.membership = .left(conversation: id, person: people[person])
        }
        // Now and then nothing is rendered, as when nobody was there.
        if !random.chance(15) { item.blocks.others = block(entry) }
        if random.chance(20) { item.blocks.deferrable = Set(people.filter { _ in random.chance(50) }) }
        hub.publish(item)
    }

    private func block(_ entry: Entry) -> EventBlock {
        EventBlock(.messageCreated, data: "\(entry.conversation) \(entry.fact)".utf8)
    }

    private mutating func cut(_ index: Int) {
        guard let subscription = clients[index].subscription else { return }
        hub.close(subscription)
        clients[index].subscription = nil
    }

    private mutating func connect(_ index: Int) {
        guard clients[index].subscription == nil else { return }
        let owner = StreamOwner(person: people[clients[index].person], session: UUID(), expiresAt: .distantFuture)
        let subscription = hub.open(owner, heartbeatsAreEvents: false)
        clients[index].subscription = subscription
        clients[index].connections += 1
        let cursor = Cursor(text: clients[index].received.lastID)
        catchUp(index, from: cursor.flatMap { PositionVector($0, in: Self.epoch) }, until: nil)
    }

    /// Reads the log up to a snapshot: anywhere between what must be reached and the heads, whether the hub is there or not.
    private mutating func catchUp(_ index: Int, from start: PositionVector?, until: PositionVector?) {
        guard let subscription = clients[index].subscription else { return }
        var snapshot = until ?? start ?? PositionVector([0, 0, 0])
        if let start { snapshot.advance(to: start) }
        for partition in 0..<partitions {
            let lowest = snapshot[partition]
            snapshot.advance(partition, to: Int64.random(in: lowest...heads[partition], using: &random))
        }
        if clients[index].start == nil { clients[index].start = start ?? snapshot }
        var cursor = start ?? snapshot
        if start == nil { clients[index].received.feed(EventID(cursor, epoch: Self.epoch.id).block) }
        for partition in 0..<partitions {
            while cursor[partition] < snapshot[partition] {
                cursor.advance(partition, to: cursor[partition] + 1)
                let entry = log[partition][Int(cursor[partition]) - 1]
                guard isConcerned(clients[index].person, by: entry, at: cursor[partition]) else { continue }
                clients[index].received.feed(block(entry).with(EventID(cursor, epoch: Self.epoch.id)))
                // A cut in the middle of a catch-up.
                if random.chance(3) { return cut(index) }
            }
        }
        let mine = conversations.indices.filter { members(of: $0, at: snapshot).contains(clients[index].person) }
        hub.attach(
            HubState.Attachment(
                subscription: subscription,
                epoch: Self.epoch,
                snapshot: snapshot,
                conversations: Set(mine.map { conversations[$0] }),
                target: snapshot
            )
        )
    }

    private mutating func take(_ index: Int) {
        while let delivery = clients[index].subscription?.takeNow() {
            switch delivery {
            case .write(let chunks):
                for chunk in chunks { clients[index].received.feed(chunk) }
            case .catchUp(let start, let until):
                fallbacks += 1
                catchUp(index, from: start, until: until)
            case .restart, .end:
                cut(index)
            }
        }
    }

    // MARK: What must come of it

    func members(of conversation: Int, at vector: PositionVector) -> Set<Int> {
        let partition = conversation % partitions
        return log[partition].prefix(Int(vector[partition])).reduce(into: []) { members, entry in
            guard entry.conversation == conversation else { return }
            switch entry.fact {
            case .message: break
            case .joined(let person): members.insert(person)
            case .left(let person): members.remove(person)
            }
        }
    }

    private func isConcerned(_ person: Int, by entry: Entry, at position: Int64) -> Bool {
        let partition = entry.conversation % partitions
        let after = heads.positions.map { _ in Int64(0) }
        var before = PositionVector(after)
        before.advance(partition, to: position - 1)
        let now = before.advanced(partition, to: position)
        return members(of: entry.conversation, at: before).contains(person)
            || members(of: entry.conversation, at: now).contains(person)
    }

    /// What a client must have seen of a partition, in order.
    func expected(_ client: Client, of partition: Int) -> [String] {
        guard let start = client.start else { return [] }
        return log[partition].enumerated().compactMap { index, entry in
            let position = Int64(index) + 1
            guard position > start[partition], isConcerned(client.person, by: entry, at: position) else { return nil }
            return "\(entry.conversation) \(entry.fact)"
        }
    }

    func received(_ client: Client, of partition: Int) -> [String] {
        client.received.events.filter { $0.name == "message.created" }.map(\.data)
            .filter { data in data.split(separator: " ").first.flatMap { Int($0) }.map { $0 % partitions } == partition
            }
    }
}
