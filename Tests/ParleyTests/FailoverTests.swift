import Foundation
import Logging
import Postgres
import TestSupport
import Testing

/// A running server whose PostgreSQL is replaced by an asynchronous standby that lacks the newest commits.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `A failover that loses commits` {
    @Test func `leaves no hole and no ghost, resets the streams, and loses nothing else`() async throws {
        try await PostgresPair.with { pair in
            let scene = try await Scene.open(on: pair)
            let stream = try scene.bob.stream()
            #expect(await stream.waits(for: "event: ready"))
            let traffic = Traffic()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in [scene.ada, scene.bob] {
                    for _ in 0..<2 { group.addTask { try await traffic.run(sender, to: scene.conversations) } }
                }
                await traffic.sends(50, in: .attached)
                await traffic.enter(.detaching)
                try await pair.detach()
                await traffic.enter(.detached)
                let eve = try await scene.register("eve")
                await traffic.sends(200, in: .detached)
                let old = try await scene.present(stream)
                await traffic.enter(.failing)
                try await pair.failOver()
                await traffic.enter(.promoted)
                await traffic.sends(100, in: .promoted)
                await traffic.end()
                try await group.waitForAll()

                #expect(await stream.waits(for: "event: reset"))
                let log = try await scene.log()
                try await check(traffic, against: log)
                try await check(stream, scene, against: log)
                try await check(old, scene)
                try await scene.expectUnknown(eve)
                try await scene.expectHistories(log)
            }
            try await scene.end()
        }
    }

    /// What was answered is in the log, but for what only the old primary had.
    private func check(_ traffic: Traffic, against log: [Scene.Logged]) async throws {
        let ids = Set(log.map(\.id))
        let (kept, lost) = (
            await traffic.ids(answeredBefore: .detaching), await traffic.ids(begunAndAnsweredIn: .detached)
        )
        #expect(kept.isSubset(of: ids))
        #expect(lost.isDisjoint(with: ids))
        #expect(await traffic.ids(begunAndAnsweredIn: .promoted).isSubset(of: ids))
        #expect(ids.isSubset(of: await traffic.all))
        #expect(lost.count >= 200)
    }

    /// The stream that was open all the time tells of the log as it is, from its `reset` on.
    private func check(_ stream: Output, _ scene: Scene, against log: [Scene.Logged]) async throws {
        for conversation in scene.conversations {
            guard let last = log.last(where: { $0.conversation == conversation }) else { continue }
            #expect(await stream.waits(for: last.id))
        }
        let events = try StreamText(stream.text).events
        let reset = try #require(events.lastIndex { $0.name == "reset" })
        #expect(events.filter { $0.name == "reset" }.count == 1)
        #expect(events[reset...].contains { $0.name == "ready" })
        let received = events[reset...].compactMap(\.message)
        for conversation in scene.conversations {
            let logged = log.filter { $0.conversation == conversation }
            let received = received.filter { $0.conversation == conversation }
            // Without a hole from the first to the head; what came before the `reset` is in the snapshot.
            #expect(received.map(\.id) == logged.suffix(received.count).map(\.id))
            #expect(received.map(\.seq) == logged.suffix(received.count).map(\.seq))
        }
    }

    /// Cursors of before cannot be continued; tokens of before mean what is left.
    private func check(_ old: Scene.Old, _ scene: Scene) async throws {
        let resumed = try scene.bob.stream(since: old.cursor)
        #expect(await resumed.waits(for: "event: ready"))
        #expect(try StreamText(resumed.text).events.prefix(2).map(\.name) == ["hello", "reset"])
        let delta = try await scene.bob.send("GET", "/v1/sync?since=\(old.cursor)")
        #expect(delta.status == 200)
        #expect(delta.body.contains(#""reset""#))
        let me = try await scene.bob.send("GET", "/v1/me", headers: ["Parley-Wait-For": old.token])
        #expect(me.status == 200, "\(me.body)")
    }
}

/// Ada, Bob and Carl, who talk on a server whose database is a pair.
private struct Scene {
    struct Logged {
        let id: String
        let seq: Int
        let conversation: String
    }

    /// What a client had before the failover.
    struct Old {
        let cursor: String
        let token: String
    }

    let pair: PostgresPair
    let server: ParleyProcess
    let environment: [String: String]
    let ada: Client
    let bob: Client
    let conversations: [String]

    static func open(on pair: PostgresPair) async throws -> Scene {
        let environment = [
            "DATABASE_URL": pair.url, "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        let server = try await ParleyProcess.serve(["--limits", "off"], environment: environment)
        let nobody = Client(port: try server.port)
        let (ada, bob, carl) = (
            try await register("ada", nobody), try await register("bob", nobody), try await register("carl", nobody)
        )
        let ids = try await [bob, carl].asyncMap { try #require(try await $0.send("GET", "/v1/me").value("id")) }
        var conversations: [String] = []
        for _ in 0..<5 {
            let id = UUID().uuidString.lowercased()
            let people = ids.map { "\"\($0)\"" }.joined(separator: ",")
            let started = try await ada.send(
                "PUT",
                "/v1/conversations/\(id)",
                #"{"groupName":"Friends","participantIds":[\#(people)]}"#
            )
            try #require(started.status == 201, "\(started.body)")
            conversations.append(id)
        }
        return Scene(
            pair: pair,
            server: server,
            environment: environment,
            ada: ada,
            bob: bob,
            conversations: conversations
        )
    }

    func register(_ name: String) async throws -> Client {
        try await Self.register(name, Client(port: ada.port))
    }

    private static func register(_ name: String, _ nobody: Client) async throws -> Client {
        let body = #"{"email":"\#(name)@example.org","password":"correct horse","displayName":"\#(name)"}"#
        let answer = try await nobody.send("POST", "/v1/auth/register", body)
        let token: String = try #require(answer.value("accessToken"), "\(answer.body)")
        return Client(port: nobody.port, token: token)
    }

    func present(_ stream: Output) async throws -> Old {
        let path = "/v1/conversations/\(conversations[0])/messages"
        let sent = try await ada.send("POST", path, #"{"text":"Lost"}"#)
        let id = try #require(sent.value("id"))
        #expect(await stream.waits(for: id))
        return Old(
            cursor: try #require(try StreamText(stream.text).cursor),
            token: try #require(sent["Parley-Position"])
        )
    }

    /// Somebody whose account only the old primary had.
    func expectUnknown(_ person: Client) async throws {
        for (method, body) in [("GET", ""), ("PATCH", #"{"displayName":"Sealed by a lost key"}"#)] {
            let answer = try await person.send(method, "/v1/me", body)
            #expect(answer.status == 401, "\(method): \(answer.status) \(answer.body)")
        }
    }

    // MARK: The log and what is made of it

    func log() async throws -> [Logged] {
        try await pair.withStandby { connection in
            let holes = try await connection.query(
                """
                SELECT 1 FROM (
                    SELECT position - lag(position, 1, 0::bigint) OVER (PARTITION BY partition ORDER BY position) AS step
                    FROM parley.events
                    UNION ALL
                    SELECT version - lag(version, 1, 0::bigint) OVER (
                        PARTITION BY stream_id, category ORDER BY version)
                    FROM parley.events
                ) s
                WHERE step <> 1
                """
            )
            #expect(holes.isEmpty)
            let rows = try await connection.query(
                """
                SELECT lower(command_id::text) AS id, payload ->> 'seq' AS seq, stream_id::text AS conversation
                FROM parley.events WHERE type = 'messageSent' ORDER BY partition, position
                """
            )
            return try rows.map { row in
                Logged(
                    id: try row.decode("id"),
                    seq: try #require(Int(try row.decode("seq", as: String.self))),
                    conversation: try row.decode("conversation")
                )
            }
        }
    }

    /// Each history is the log's, message by message.
    func expectHistories(_ log: [Logged]) async throws {
        for conversation in conversations {
            var ids: [String] = []
            var cursor: String?
            repeat {
                let query = cursor.map { "&before=\($0)" } ?? ""
                let path = "/v1/conversations/\(conversation)/messages?limit=100\(query)"
                let page = try await bob.send("GET", path)
                try #require(page.status == 200, "\(page.body)")
                let value = try JSONSerialization.jsonObject(with: Data(page.body.utf8)) as? [String: Any]
                let items = try #require(value?["items"] as? [[String: Any]])
                ids = items.filter { $0["kind"] as? String == "text" }.compactMap { $0["id"] as? String } + ids
                cursor = (value?["page"] as? [String: Any])?["olderCursor"] as? String
            } while cursor != nil
            #expect(ids == log.filter { $0.conversation == conversation }.map(\.id))
        }
    }

    /// The server is the one of the beginning, and all that it holds agrees.
    func end() async throws {
        #expect(server.child.exitStatus == nil)
        #expect(try await ada.send("GET", "/metrics").body.contains("parley_log_epochs_total 1\n"))
        let verified = try await ParleyProcess.run(["verify"], environment: environment)
        #expect(verified.code == 0, "\(verified.output)")
        #expect(await server.terminate().code == 0)
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
