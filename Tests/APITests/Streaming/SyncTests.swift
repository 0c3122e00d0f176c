import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messaging
import NIOCore
import ParleyWire
import ReadModels
import TestSupport
import Testing

@testable import API
@testable import Live

@Suite(.database, .timeLimit(.minutes(10))) struct SyncTests {
    @Test(arguments: 1...6)
    func `a snapshot and the events since equal a fresh snapshot`(seed: UInt64) async throws {
        try await LiveServer.with { server in
            let people = try await server.people(5)
            var rooms = [try await server.startGroup(people), try await server.startGroup(Array(people.prefix(3)))]
            let direct = DerivedID.directConversation(people[0].id, people[1].id)
            let start = StartDirect(starter: people[0].id, other: people[1].id)
            try await server.command(.startDirect(start), on: direct, by: people[0].id)
            rooms.append(direct)
            let groups = rooms
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (place, person) in people.enumerated() {
                    tasks.addTask {
                        let random = SeededRandom(seed: seed &* 31 &+ UInt64(place))
                        try await server.checkSnapshotProperty(of: person, random)
                    }
                }
                tasks.addTask {
                    try await server.live(people, in: groups, SeededRandom(seed: seed))
                    await server.quiet.end()
                }
                try await tasks.waitForAll()
            }
        }
    }

    @Test func `a count that was not told any more is told on return, whatever has happened since`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let stream = try await server.readyStream(of: people[1])
            try await server.say("one", people[0], in: group)
            let cursor = try #require(await stream.nextInOrder()?.lastID)
            stream.cut()
            // Of this nobody else is told.
            try await server.view(group, of: people[2], archived: true)
            try await server.waitForReadModels()
            let again = try await server.stream(of: people[1], since: cursor)
            var counts: [Int] = []
            while let event = await again.nextOfAll(), event.name != StreamEventName.ready.rawValue {
                if case .unreadUpdated(let unread) = try StreamEvent(event) { counts.append(unread.unreadCount) }
            }
            #expect(counts == [1])
        }
    }

    @Test func `a delta is what the stream would have sent, page by page`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)))
            try await server.waitForReadModels()
            let start = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1]).cursor
            for number in 0..<10 { try await server.say("\(number)", people[0], in: group) }
            try await server.add(people[3], to: group, by: people[0])
            try await server.read(group, upTo: 5, by: people[1])
            try await server.rename(people[2], to: "Grace")
            let stream = try await server.stream(of: people[1], since: start)
            var streamed: [SentEvents.Event] = []
            while let event = await stream.nextOfAll(), event.name != "ready" {
                if event.name != "hello", event.name != "unread.updated" { streamed.append(event) }
            }
            // What tells of the new participant comes in two, under one id.
            #expect(streamed.count == 14)
            let ids = streamed.map(\.lastID).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
            #expect(ids.count == 13)
            for limit in [1, 4, 500] {
                var events: [SyncDelta.Event] = []
                var cursor = start
                var hasMore = true
                while hasMore {
                    let path = "/v1/sync?since=\(cursor)&limit=\(limit)"
                    let delta = try await server.get(SyncDelta.self, path, as: people[1])
                    let ordered = delta.events.filter { $0.event.knownName != .unreadUpdated }
                    #expect(ordered.count { $0.id != nil } <= limit)
                    let hasCounts = delta.events.contains { $0.event.knownName == .unreadUpdated }
                    #expect(hasCounts || ordered.isEmpty || limit == 1)
                    events += ordered
                    (cursor, hasMore) = (delta.cursor, delta.hasMore)
                }
                #expect(events.compactMap(\.id) == ids)
                #expect(events.map(\.event) == (try streamed.map { try StreamEvent($0) }))
            }
        }
    }

    @Test func `a cursor that cannot be continued gets a reset, and what is none is refused`() async throws {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            let log = server.eventStore.identity
            let foreign = Cursor(epoch: log.epoch &+ 1, all: try await server.eventStore.log.heads()).text
            let delta = try await server.get(SyncDelta.self, "/v1/sync?since=\(foreign)", as: ada)
            #expect(delta.events.map(\.event) == [.reset])
            // From there on it goes on: with the registration, perhaps, which the hub may not have had.
            let rest = try await server.get(SyncDelta.self, "/v1/sync?since=\(delta.cursor)", as: ada)
            #expect(!rest.events.map(\.event).contains(.reset))
            for query in ["since=%F0", "since=garbage", "limit=0", "limit=1001", "window=201", "timelineLimit=-1"] {
                #expect(try await server.get("/v1/sync?\(query)", as: ada).status == .unprocessableContent)
            }
        }
    }

    @Test func `a newcomer has a snapshot at once`() async throws {
        try await LiveServer.with { server in
            for number in 0..<10 {
                let person = try await server.person("New \(number)")
                let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync?timelineLimit=0", as: person)
                #expect(snapshot.me.id.uuid == person.id)
                #expect(snapshot.me.displayName == person.name)
                #expect(snapshot.conversations.isEmpty)
            }
        }
    }

    @Test func `a resume reads the client's own changes and nothing else`() async throws {
        try await LiveServer.with {
            $0.partitions = 1
        } _: { server in
            let people = try await server.people(6)
            let mine = try await server.startGroup(Array(people.prefix(3)))
            let theirs = try await server.startGroup(Array(people.suffix(3)))
            try await server.say("Old", people[1], in: mine)
            try await server.waitForReadModels()
            let start = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[0]).cursor
            for number in 0..<200 { try await server.say("\(number)", people[4], in: theirs) }
            for number in 0..<3 { try await server.say("\(number)", people[1], in: mine) }
            let epoch = server.eventStore.epoch.present
            let cursor = try #require(Cursor(text: start).flatMap { PositionVector($0, in: epoch) })
            let heads = PositionVector(try await server.eventStore.log.heads())
            let reader = try await server.hub.catchUp.open(people[0].id, from: cursor, to: heads)
            var caughtUp: [CatchUp.Event] = []
            while let page = try await reader.next() { caughtUp += page }
            #expect(caughtUp.map(\.event.name) == Array(repeating: "message.created", count: 3) + ["unread.updated"])
            #expect(await reader.eventsRead == 3)
            #expect(heads[0] - cursor[0] == 203)
        }
    }
}

/// Tells when nothing happens any more, and cuts the stream that would wait for it in vain.
actor Quiet {
    private(set) var isOver = false
    private var streams: [LiveStream] = []

    func end() {
        isOver = true
        for stream in streams { stream.cut() }
    }

    func watch(_ stream: LiveStream) {
        if isOver { stream.cut() } else { streams.append(stream) }
    }
}

extension LiveServer {
    /// Does all that people do, at random.
    func live(_ people: [LivePerson], in rooms: [UUID], _ random: SeededRandom) async throws {
        var random = random
        var sent: [(room: UUID, id: UUID)] = []
        for number in 0..<250 {
            let actor = people[Int.random(in: people.indices, using: &random)]
            let other = people[Int.random(in: people.indices, using: &random)]
            let room = rooms[Int.random(in: rooms.indices, using: &random)]
            do {
                switch Int.random(in: 0..<130, using: &random) {
                case ..<36:
                    let mentioned = [[], [other.id]][Int.random(in: 0..<2, using: &random)]
                    // Refused where the actor is no more than a member.
                    let all = Int.random(in: 0..<5, using: &random) == 0
                    let id = try await ask("\(number)", actor, in: room, mentions: mentioned, mentionsAll: all)
                    sent.append((room, id))
                case ..<50:
                    guard let message = sent.randomElement(using: &random) else { continue }
                    let step: MessageStep = [
                        .edit("edited \(number)"), .delete, .react("\u{1F44D}"), .react("\u{2764}"),
                        .takeBack("\u{1F44D}"), .pin, .unpin,
                    ][Int.random(in: 0..<7, using: &random)]
                    try await change(message.id, by: step, actor, in: message.room)
                case ..<70: try await read(room, upTo: Int64.random(in: 1...100, using: &random), by: actor)
                case ..<77: try await add(other, to: room, by: people[0])
                case ..<84: try await remove(other, from: room, by: people[0])
                case ..<88:
                    let role = Role.allCases[Int.random(in: 0..<3, using: &random)]
                    let put = PutParticipant(actor: people[0].id, person: other.id, role: role, maxMembers: 100)
                    try await command(.putParticipant(put), on: room, by: people[0].id)
                case ..<92: try await rename(actor, to: "Name \(number)")
                case ..<96:
                    let change = ChangeGroup(
                        actor: people[0].id,
                        name: "Group \(number)",
                        icon: .unchanged,
                        joinPolicy: nil,
                        historyVisibility: [nil, .all, .joined][Int.random(in: 0..<3, using: &random)]
                    )
                    try await command(.changeGroup(change), on: room, by: people[0].id)
                case ..<100:
                    try await command(.leave(person: actor.id), on: room, by: actor.id)
                case ..<106:
                    let until = [nil, Date(), Date(timeIntervalSinceNow: 3_600)][Int.random(in: 0..<3, using: &random)]
                    try await view(room, of: actor, mutedUntil: until, archived: Bool.random(using: &random))
                case ..<115:
                    let change = ChangeGroup(
                        actor: people[0].id,
                        name: nil,
                        icon: .unchanged,
                        joinPolicy: nil,
                        historyVisibility: nil,
                        retention: Bool.random(using: &random) ? .set(3_600) : .cleared
                    )
                    try await command(.changeGroup(change), on: room, by: people[0].id)
                case ..<119:
                    let messages = sent.filter { $0.room == room }.suffix(10).map(\.id)
                    _ = try await dependencies.expirer.expire(messages, of: room, at: Date() + 3_600)
                case ..<125:
                    guard let message = sent.randomElement(using: &random) else { continue }
                    try await hide(message.id, in: message.room, by: actor)
                default:
                    try await markUnread(room, from: Int64.random(in: 1...100, using: &random), by: actor)
                }
            } catch is ConversationRejection {
                continue
            } catch CommandError.unknownActor {
                // Erased meanwhile.
                continue
            }
        }
    }

    /// Follows a stream over random cuts until everything is quiet, then compares with a fresh snapshot.
    func checkSnapshotProperty(of person: LivePerson, _ random: SeededRandom) async throws {
        var random = random
        let snapshot = try await get(SyncSnapshot.self, "/v1/sync", as: person)
        var reducer = ReferenceReducer(snapshot)
        var cursor = snapshot.cursor
        while await !quiet.isOver {
            let stream = try await stream(of: person, since: cursor)
            await quiet.watch(stream)
            var left = Int.random(in: 1...40, using: &random)
            while left > 0, let event = await stream.nextOfAll() {
                cursor = event.lastID
                reducer.apply(try StreamEvent(event))
                left -= 1
            }
            stream.cut()
        }
        let last = try await stream(of: person, since: cursor)
        while let event = await last.nextOfAll(), event.name != "ready" { reducer.apply(try StreamEvent(event)) }
        last.cut()
        let fresh = try await get(SyncSnapshot.self, "/v1/sync", as: person)
        #expect(reducer.differences(from: fresh).isEmpty, "\(reducer.differences(from: fresh).joined(separator: "\n"))")
    }
}

extension LiveServer {
    /// Waits until the read models show all that was done so far, so that a snapshot begins behind it.
    func waitForReadModels() async throws {
        // The feed hears of an event after its command was answered, perhaps.
        let heads = Dictionary(uniqueKeysWithValues: try await eventStore.log.heads().enumerated().map { ($0, $1) })
        _ = try await checkpoints.wait(for: heads, timeout: .seconds(30))
    }
}
