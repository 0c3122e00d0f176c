import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Live

/// What must hold whatever is cut, late or slow.
@Suite(.database, .timeLimit(.minutes(10))) struct ExactlyOnceTests {
    @Test(arguments: [1, 2, 3])
    func `each message comes once and in order over cuts at any moment`(seed: UInt64) async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let groups = [try await server.startGroup(people), try await server.startGroup(people.reversed())]
            let starts = try await server.cursors(of: people)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (place, person) in people.enumerated() {
                    let group = groups[place % 2]
                    tasks.addTask {
                        for number in 0..<50 { try await server.say("\(number)", person, in: group) }
                    }
                    for client in 0..<2 {
                        tasks.addTask {
                            let random = SeededRandom(seed: seed &* 100 &+ UInt64(place * 10 + client))
                            let goal = Dictionary(uniqueKeysWithValues: groups.map { ($0, Int64(100)) })
                            let seqs = try await server.follow(person, from: starts[place], until: goal, random)
                            for group in groups { #expect(seqs[group] == Array(1...100)) }
                        }
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    @Test(arguments: [1, 2])
    func `who comes and goes sees exactly what was sent meanwhile`(seed: UInt64) async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let guests = Array(people.suffix(2))
            let group = try await server.startGroup(Array(people.prefix(3)))
            try await server.remove(people[2], from: group, by: people[0])
            let starts = try await server.cursors(of: guests)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for person in people.prefix(2) {
                    tasks.addTask {
                        for number in 0..<150 { try await server.say("\(number)", person, in: group) }
                    }
                }
                for guest in guests {
                    tasks.addTask {
                        for _ in 0..<20 {
                            try await server.add(guest, to: group, by: people[0])
                            try await server.say("Hello", guest, in: group)
                            try await server.remove(guest, from: group, by: people[0])
                        }
                    }
                }
                try await tasks.waitForAll()
            }
            // The marker that all clients wait for.
            for guest in guests { try await server.add(guest, to: group, by: people[0]) }
            try await server.say("The end", people[0], in: group)
            for (place, guest) in guests.enumerated() {
                let expected = try await server.sentDuringMembership(of: guest, in: group)
                let goal = [group: try #require(expected.last)]
                let random = SeededRandom(seed: seed + UInt64(place))
                #expect(try await server.follow(guest, from: starts[place], until: goal, random)[group] == expected)
            }
        }
    }

    @Test(arguments: [1, 2])
    func `live streams keep up with members who come and go`(seed: UInt64) async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let guest = people[3]
            let group = try await server.startGroup(Array(people.prefix(3)))
            let start = try await server.cursors(of: [guest])[0]
            let followed = Task {
                var random = SeededRandom(seed: seed)
                var received: [Int64] = []
                var cursor = start
                while true {
                    let stream = try await server.stream(of: guest, since: cursor)
                    while let event = await stream.next() {
                        guard case .messageCreated(let message) = try StreamEvent(event) else { continue }
                        received.append(message.message.seq ?? 0)
                        cursor = event.lastID
                        if message.message.text == "The end" { return received }
                        if random.chance(5) { break }
                    }
                    stream.cut()
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for person in people.prefix(3) {
                    tasks.addTask {
                        for number in 0..<100 { try await server.say("\(number)", person, in: group) }
                    }
                }
                tasks.addTask {
                    for _ in 0..<30 {
                        try await server.add(guest, to: group, by: people[0])
                        try await server.say("Hello", guest, in: group)
                        try await server.remove(guest, from: group, by: people[0])
                    }
                }
                try await tasks.waitForAll()
            }
            try await server.add(guest, to: group, by: people[0])
            try await server.say("The end", people[0], in: group)
            let expected = try await server.sentDuringMembership(of: guest, in: group)
            #expect(expected.count > 30)
            #expect(try await followed.value == expected)
        }
    }

    @Test func `a slow client is served from the log, without loss and without doubles`() async throws {
        try await LiveServer.with {
            $0.limits.bufferedChunks = 16
            $0.limits.bufferedBytes = 256 * 1_024
            $0.limits.stalledChecks = .max
        } _: { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let slow = try await server.stream(of: people[1], receiveBuffer: 8 * 1_024)
            try await slow.skip(to: .ready)
            try await slow.stall(true)
            let fast = try await server.readyStream(of: people[2])
            let text = String(repeating: "🐌", count: 10_000)
            for _ in 0..<150 { try await server.say(text, people[0], in: group) }
            for seq in 1...150 {
                guard case .messageCreated(let message) = try await fast.next(.messageCreated) else { return }
                #expect(message.message.seq == Int64(seq))
            }
            #expect(server.hub.fallbacks > 0)
            try await slow.stall(false)
            for seq in 1...150 {
                guard case .messageCreated(let message) = try await slow.next(.messageCreated) else { return }
                #expect(message.message.seq == Int64(seq))
            }
            // It is live again.
            try await server.say("Caught up?", people[0], in: group)
            guard case .messageCreated(let message) = try await slow.next(.messageCreated) else { return }
            #expect(message.message.text == "Caught up?")
        }
    }
}

extension LiveServer {
    /// A cursor of now for each.
    func cursors(of people: [LivePerson]) async throws -> [String] {
        var cursors: [String] = []
        for person in people {
            let stream = try await stream(of: person)
            guard let hello = await stream.next() else { throw LiveStream.StreamOver() }
            cursors.append(hello.lastID)
            stream.cut()
        }
        return cursors
    }

    /// Follows a stream over random cuts until these messages have come, and a little longer.
    func follow(
        _ person: LivePerson,
        from start: String,
        until goal: [UUID: Int64],
        _ random: SeededRandom
    ) async throws -> [UUID: [Int64]] {
        var random = random
        var cursor = start
        var seqs: [UUID: [Int64]] = [:]
        var isComplete: Bool { goal.allSatisfy { seqs[$0.key]?.last == $0.value } }
        while !isComplete {
            let stream = try await stream(of: person, since: cursor)
            var left = Int.random(in: 1...60, using: &random)
            while left > 0, !isComplete, let event = await stream.next() {
                left -= 1
                cursor = event.lastID
                guard case .messageCreated(let created) = try StreamEvent(event) else { continue }
                seqs[created.conversationId.uuid, default: []].append(created.message.seq ?? 0)
            }
            stream.cut()
        }
        // Nothing more may come after all has come.
        let last = try await stream(of: person, since: cursor)
        while let event = await last.next(), event.name != "ready" { #expect(event.name != "message.created") }
        last.cut()
        return seqs
    }

    /// The messages of a conversation that were sent while somebody was a member, by the log.
    func sentDuringMembership(of person: LivePerson, in conversation: UUID) async throws -> [Int64] {
        var isMember = false
        var seqs: [Int64] = []
        let stream = StreamID(.conversation, conversation)
        for record in try await eventStore.log.events(of: stream, after: 0, limit: 100_000) {
            switch record.conversationEvent {
            case .started(let started): isMember = started.members.contains { $0.id == person.id }
            case .participantAdded(let added) where added.person == person.id: isMember = true
            case .participantRemoved(let removed) where removed.person == person.id: isMember = false
            case .messageSent(let sent) where isMember: seqs.append(sent.seq)
            default: break
            }
        }
        return seqs
    }
}
