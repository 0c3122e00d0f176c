import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Messaging
import NIOCore
import ParleyWire
import Postgres
import ReadModels
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Live

/// Who is there, over HTTP and the stream.
@Suite(.database, .timeLimit(.minutes(10))) struct PresenceTests {
    private func put<Value: Decodable>(
        _ type: Value.Type,
        _ path: String,
        _ body: String,
        by person: LivePerson,
        _ server: LiveServer
    ) async throws -> Value {
        let response = try await server.client.execute(
            uri: "/v1/\(path)",
            method: .put,
            headers: [.authorization: "Bearer \(person.token)", .contentType: "application/json"],
            body: ByteBuffer(string: body)
        )
        try #require(response.status == .ok, "\(String(buffer: response.body))")
        return try WireJSON.decoder().decode(type, from: Data(response.body.readableBytesView))
    }

    @discardableResult
    private func say(_ status: String, by person: LivePerson, _ server: LiveServer) async throws -> Presence {
        try await put(Presence.self, "me/presence", #"{"status": "\#(status)"}"#, by: person, server)
    }

    @discardableResult
    private func subscribe(
        _ person: LivePerson,
        to people: [LivePerson],
        _ server: LiveServer
    ) async throws -> [PresenceStatus] {
        let ids = people.map { #""\#(WireID($0.id))""# }.joined(separator: ",")
        let body = #"{"userIds": [\#(ids)]}"#
        let answer = try await put(PresenceAnswer.self, "presence/subscriptions", body, by: person, server)
        #expect(answer.items.map(\.userId) == people.map { WireID($0.id) })
        return answer.items.map(\.presence.status)
    }

    /// What a stream has received of people, who may come in any order.
    private final class Watcher {
        let stream: LiveStream
        private var statuses: [WireID: PresenceStatus] = [:]

        init(_ stream: LiveStream) {
            self.stream = stream
        }

        /// What the stream has received last of a person, as far as it was read.
        func status(of person: LivePerson) -> PresenceStatus? { statuses[WireID(person.id)] }

        /// Waits until a person is this, as far as the stream received it.
        func wait(for person: LivePerson, _ status: PresenceStatus) async throws {
            while statuses[WireID(person.id)] != status {
                guard case .presenceUpdated(let update) = try await stream.next(.presenceUpdated) else { return }
                statuses[update.userId] = update.presence.status
            }
        }
    }

    @Test func `partners are told without asking, others when they ask, and strangers of nobody`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(5)
            let (ada, bob, eve, stranger) = (people[0], people[1], people[2], people[3])
            try await server.ask(.put, "conversations/direct/\(WireID(bob.id))", by: ada)
            _ = try await server.startGroup([ada, eve, people[4]])
            try await server.waitForReadModels()
            let atAda = Watcher(try await server.readyStream(of: ada))
            let atStranger = Watcher(try await server.readyStream(of: stranger))
            #expect(try await subscribe(stranger, to: [ada], server) == [.offline])
            let atBob = Watcher(try await server.readyStream(of: bob))
            try await atAda.wait(for: bob, .online)
            try await atBob.wait(for: ada, .online)
            #expect(try await subscribe(ada, to: [eve, stranger], server) == [.offline, .offline])
            let atEve = Watcher(try await server.readyStream(of: eve))
            try await atAda.wait(for: eve, .online)
            try await say("away", by: eve, server)
            try await atAda.wait(for: eve, .away)
            #expect(try await server.get(User.self, "/v1/users/\(WireID(eve.id))", as: ada).presence.status == .away)
            #expect(try await server.get(User.self, "/v1/users/\(WireID(eve.id))", as: bob).presence.status == .offline)
            #expect(try await say("online", by: eve, server).status == .online)
            try await atAda.wait(for: eve, .online)
            // Goodbye is not waited for.
            try await say("offline", by: bob, server)
            try await atAda.wait(for: bob, .offline)
            _ = (atStranger, atEve)
        }
    }

    @Test func `partners beyond the first page are told of who asks alone`() async throws {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            var partners: [LivePerson] = []
            for number in 0...50 {
                let partner = try await server.person("Partner \(number)")
                try await server.ask(.put, "conversations/direct/\(WireID(partner.id))", by: ada)
                partners.append(partner)
            }
            let (beyond, last) = (partners[0], partners[1])
            try await server.waitForReadModels()
            let atAda = Watcher(try await server.readyStream(of: ada))
            let atBeyond = try await server.readyStream(of: beyond)
            let atLast = try await server.readyStream(of: last)
            try await atAda.wait(for: last, .online)
            // Whatever was to be told of the other came with that, or before it.
            try await say("away", by: last, server)
            try await atAda.wait(for: last, .away)
            #expect(atAda.status(of: beyond) == nil)
            #expect(try await subscribe(ada, to: [beyond], server) == [.online])
            try await atAda.wait(for: beyond, .online)
            _ = (atBeyond, atLast)
        }
    }

    @Test func `who is blocked, is hidden or has left the group is not told from then on`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let (ada, bob, eve) = (people[0], people[1], people[2])
            try await server.ask(.put, "conversations/direct/\(WireID(bob.id))", by: ada)
            let group = try await server.startGroup([ada, eve, people[3]])
            try await server.waitForReadModels()
            let atAda = Watcher(try await server.readyStream(of: ada))
            let atBob = Watcher(try await server.readyStream(of: bob))
            let atEve = Watcher(try await server.readyStream(of: eve))
            try await subscribe(ada, to: [eve], server)
            try await atAda.wait(for: bob, .online)
            try await atAda.wait(for: eve, .online)
            try await server.ask(.put, "blocks/\(WireID(ada.id))", by: bob)
            try await atAda.wait(for: bob, .offline)
            try await atBob.wait(for: ada, .offline)
            try await server.hidePresence(of: eve)
            try await atAda.wait(for: eve, .offline)
            try await server.waitForReadModels()
            #expect(try await subscribe(ada, to: [bob, eve], server) == [.offline, .offline])
            try await server.hidePresence(of: eve, false)
            try await atAda.wait(for: eve, .online)
            try await server.remove(eve, from: group, by: ada)
            try await atAda.wait(for: eve, .offline)
            _ = atEve
        }
    }

    @Test func `a right that has ended shows nobody, though the read models stand still`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let (ada, eve) = (people[0], people[1])
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let atEve = try await server.readyStream(of: eve)
            let atAda = try await server.readyStream(of: ada)
            #expect(try await subscribe(ada, to: [eve], server) == [.online])
            try await TestDatabase.current.administrator.withConnection { connection in
                try await connection.script("BEGIN; LOCK TABLE read_live.checkpoints IN SHARE MODE")
                try await server.remove(eve, from: group, by: ada)
                #expect(try await subscribe(ada, to: [eve, ada], server) == [.offline, .online])
                try await connection.script("ROLLBACK")
            }
            try await server.waitForReadModels()
            #expect(try await subscribe(ada, to: [eve, people[2]], server) == [.offline, .offline])
            try await server.add(eve, to: group, by: ada)
            try await server.waitForReadModels()
            #expect(try await subscribe(ada, to: [eve], server) == [.online])
            _ = (atEve, atAda)
        }
    }

    @Test func `what presence waits for is counted while it stands still, and logged`() async throws {
        let logs = LogBook()
        try await LiveServer.with { options in
            options.logger = Logger(label: "test") { _ in LogBook.Handler(book: logs) }
        } _: { server in
            let people = try await server.people(3)
            let (ada, eve) = (people[0], people[1])
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let atAda = try await server.readyStream(of: ada)
            try await subscribe(ada, to: [eve], server)
            let partition = server.eventStore.identity.partition(of: group)
            let deadline = try await TestDeadline.within(15)
            try await TestDatabase.current.administrator.withConnection { connection in
                try await connection.script("BEGIN; LOCK TABLE read_live.checkpoints IN SHARE MODE")
                try await server.remove(eve, from: group, by: ada)
                while server.hub.presences.standing != [partition] {
                    try await deadline.check("presence waits for the partition")
                }
                try await connection.script("ROLLBACK")
            }
            let presences = server.hub.presences
            let position = try #require(presences.state.withLock { $0.rightsPositions[partition] })
            while !presences.standing.isEmpty { try await deadline.check("presence goes on") }
            let lines = logs.lines.filter { $0.hasPrefix("warning presence waits") }
            try #require(lines.count == 1)
            #expect(lines[0].contains(#""partition": \#(partition)"#))
            #expect(lines[0].contains(#""position": \#(position)"#))
            _ = atAda
        }
    }

    @Test func `when somebody was last seen is kept, and shown`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            _ = try await server.startGroup(people)
            try await server.waitForReadModels()
            let seen = Date(timeIntervalSince1970: 1_700_000_000)
            try await server.hub.presences.rows.note([people[1].id: seen])
            try await server.hub.presences.rows.note([people[1].id: seen - 60])
            let path = "/v1/users/\(WireID(people[1].id))"
            let presence = try await server.get(User.self, path, as: people[0]).presence
            #expect(presence == Presence(status: .offline, lastSeen: seen))
        }
    }

    @Test func `at most two hundred people can be asked for`() async throws {
        try await LiveServer.with { server in
            let person = try await server.person("Ada")
            let ids = (0..<201).map { _ in "\"\(WireID())\"" }.joined(separator: ",")
            let response = try await server.client.execute(
                uri: "/v1/presence/subscriptions",
                method: .put,
                headers: [.authorization: "Bearer \(person.token)", .contentType: "application/json"],
                body: ByteBuffer(string: #"{"userIds": [\#(ids)]}"#)
            )
            #expect(response.status == .unprocessableContent)
        }
    }
}

extension LiveServer {
    fileprivate func hidePresence(of person: LivePerson, _ isHidden: Bool = true) async throws {
        try await ask(.patch, "me", #"{"settings": {"showPresence": \#(!isHidden)}}"#, by: person)
    }

    fileprivate func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        by person: LivePerson
    ) async throws {
        var headers: HTTPFields = [.authorization: "Bearer \(person.token)"]
        if body != nil { headers[.contentType] = "application/json" }
        let response = try await client.execute(
            uri: "/v1/\(path)",
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        )
        #expect((200..<300).contains(response.status.code), "\(String(buffer: response.body))")
    }
}
