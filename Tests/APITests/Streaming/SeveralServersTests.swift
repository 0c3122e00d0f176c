import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messaging
import NIOCore
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Live

/// Servers that share a database see each other through the log alone.
@Suite(.database, .timeLimit(.minutes(10))) struct SeveralServersTests {
    @Test func `what one server appends reaches the streams of another`() async throws {
        try await LiveServer.with { one in
            try await LiveServer.with { other in
                let people = try await one.people(3)
                let group = try await one.startGroup(people)
                let stream = try await other.readyStream(of: people[1])
                try await one.say("From one", people[0], in: group)
                guard case .messageCreated(let first) = try await stream.next(.messageCreated) else { return }
                #expect(first.message.text == "From one")
                try await other.say("From the other", people[2], in: group)
                guard case .messageCreated(let second) = try await stream.next(.messageCreated) else { return }
                #expect(second.message.text == "From the other")
            }
        }
    }

    @Test func `a session that one server ends takes its streams on another with it, and no others`() async throws {
        try await LiveServer.with { one in
            try await LiveServer.with { other in
                let people = try await one.people(2)
                let stream = try await other.readyStream(of: people[0])
                let unconcerned = try await other.readyStream(of: people[1])
                let ended = try await one.client.execute(
                    uri: "/v1/sessions/\(people[0].session)",
                    method: .delete,
                    headers: [.authorization: "Bearer \(people[0].token)"]
                )
                #expect(ended.status == .noContent)
                let deadline = try await TestDeadline.within(2)
                guard case .goAway(let goodbye) = try await stream.rest().last.map({ try StreamEvent($0) }) else {
                    Issue.record("the stream ended without a word")
                    return
                }
                #expect(goodbye.reason == .revoked)
                try await deadline.check("the stream has ended")
                #expect(try await other.get("/v1/me", as: people[0]).status == .unauthorized)
                #expect(try await other.get("/v1/me", as: people[1]).status == .ok)
                #expect(other.hub.openStreams == 1)
                unconcerned.cut()
            }
        }
    }

    @Test func `who hides the own reading at one server has it hidden at another at once`() async throws {
        try await LiveServer.with { one in
            try await LiveServer.with { other in
                // Each of them knows that it is not alone.
                for server in [one, other, one] { try await server.eventStore.formats.beat() }
                let people = try await one.people(3)
                let group = try await one.startGroup(people)
                func read(_ seq: Int) async throws {
                    let receipt = #"{"receipts":[{"conversationId":"\#(WireID(group))","readSeq":\#(seq)}]}"#
                    let answer = try await other.client.execute(
                        uri: "/v1/receipts",
                        method: .post,
                        headers: [.authorization: "Bearer \(people[1].token)", .contentType: "application/json"],
                        body: ByteBuffer(string: receipt)
                    )
                    #expect(answer.status == .ok)
                }
                func hiddenMarks() async throws -> Int {
                    try await TestDatabase.current.administrator.query(
                        "SELECT FROM parley.events WHERE payload::text LIKE '%publicReadSeq%'"
                    ).count
                }
                for text in ["One", "Two"] { try await one.say(text, people[0], in: group) }
                try await read(1)
                #expect(try await hiddenMarks() == 0)
                try await one.shareReading(false, people[1])
                try await read(2)
                #expect(try await hiddenMarks() == 1)
            }
        }
    }

    @Test func `a client that changes servers misses nothing and sees nothing twice`() async throws {
        try await LiveServer.with { one in
            try await LiveServer.with { other in
                let people = try await one.people(3)
                let group = try await one.startGroup(people)
                var cursor = try await one.cursors(of: [people[1]])[0]
                async let sending: Void = withThrowingTaskGroup(of: Void.self) { tasks in
                    for (place, server) in [one, other].enumerated() {
                        tasks.addTask {
                            for number in 0..<60 { try await server.say("\(number)", people[place * 2], in: group) }
                        }
                    }
                    try await tasks.waitForAll()
                }
                var seqs: [Int64] = []
                var random = SeededRandom(seed: 5)
                while seqs.last != 120 {
                    let server = random.chance(50) ? one : other
                    let stream = try await server.stream(of: people[1], since: cursor)
                    var left = Int.random(in: 2...15, using: &random)
                    while left > 0, seqs.last != 120, let event = await stream.next() {
                        left -= 1
                        cursor = event.lastID
                        #expect(event.name != "reset")
                        guard case .messageCreated(let created) = try StreamEvent(event) else { continue }
                        seqs.append(created.message.seq ?? 0)
                    }
                    stream.cut()
                }
                try await sending
                #expect(seqs == Array(1...120))
            }
        }
    }
}
