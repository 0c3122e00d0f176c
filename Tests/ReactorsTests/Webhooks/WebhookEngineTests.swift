import Crypto
import EventStore
import Foundation
import Metrics
import ParleyWire
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct `Webhooks of a server` {
    private static let accepted = WebTestServer.Answer.answer(status: 204)

    @Test func `are told what happens, signed, each conversation in its order`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                Self.accepted
            } _: { server in
                try await scene.sending {
                    let webhook = try await scene.add(server, events: [.messageCreated])
                    let groups = [try await scene.startGroup(), try await scene.startGroup()]
                    for number in 0..<25 {
                        let group = groups[number % 2]
                        try await scene.log.send("planted-\(number)", to: group.id, by: group.owner)
                    }
                    try await eventually("all of them") { server.requests.count >= 25 }
                    let places = try server.requests.map { try $0.place() }
                    for group in groups {
                        let own = places.filter { $0.conversationId == WireID(group.id) }
                        #expect(own.map(\.position) == own.map(\.position).sorted() && own.count >= 12)
                    }
                    #expect(
                        Set(server.requests.map(\.id)).count == 25 && places.allSatisfy { $0.type == "message.created" }
                    )
                    for request in server.requests { try Self.expectSigned(request, webhook) }
                    try await eventually("nothing waits") {
                        try await scene.count("parley.webhook_places WHERE due_at IS NOT NULL") == 0
                    }
                    #expect(server.requests.count == 25)
                    #expect(try await scene.count("parley.webhook_deliveries WHERE status = 204 AND attempt = 1") == 25)
                }
            }
        }
    }

    @Test func `are told by another process what one that is gone had claimed`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                Self.accepted
            } _: { server in
                _ = try await scene.add(server)
                let pool = scene.log.store.pool
                let queue = WebhookQueue(pool: pool, sessions: scene.log.store.sessions)
                try await pool.execute(
                    WebhookQueue.note([(conversation: UUID(), event: "message.created", version: 1)])
                )
                #expect(try await queue.claim(limit: 1, without: []).count == 1)
                // It bears no key, and lasts for its time.
                #expect(try await !queue.giveBack(exceptOf: []))
                try await pool.execute("UPDATE parley.webhook_places SET claimed_by = 1")
                #expect(try await !queue.giveBack(exceptOf: [1, 2]))
                #expect(try await queue.giveBack(exceptOf: [2]))
                #expect(try await queue.claim(limit: 1, without: []).count == 1)
            }
        }
    }

    @Test func `have their turns, and one turn at once where they fail`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                Self.accepted
            } _: { server in
                var failing: [UUID] = []
                for number in 0..<5 { failing.append(try await scene.add(server, "/failing-\(number)").id) }
                let quick = try await scene.add(server, "/quick").id
                let pool = scene.log.store.pool
                // What the quick one waits for is the newest.
                try await pool.execute(
                    """
                    INSERT INTO parley.webhook_places (webhook_id, conversation_id, next_version, head_version, due_at)
                    SELECT w.webhook_id, gen_random_uuid(), 1, 1,
                        now() - CASE WHEN w.webhook_id = \(quick) THEN interval '1 s' ELSE interval '1 minute' END
                    FROM parley.webhooks w, generate_series(1, 20)
                    """
                )
                let queue = WebhookQueue(pool: pool, sessions: scene.log.store.sessions)
                let first = try await queue.claim(limit: 6, without: [])
                #expect(first.count == 6 && Set(first.map(\.webhook)) == Set(failing + [quick]))
                let second = try await queue.claim(limit: 64, without: [], failing: failing)
                for id in failing { #expect(second.count { $0.webhook == id } == 1) }
                #expect(second.count { $0.webhook == quick } == WebhookQueue.claimsOfWebhook)
            }
        }
    }

    /// By the standard's own words: HMAC-SHA256 of id, time and body, under what follows `whsec_`.
    private static func expectSigned(_ request: WebTestServer.Request, _ webhook: Webhook) throws {
        let secret = try #require(webhook.target.secrets.first).exposed
        let key = SymmetricKey(data: try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count)))))
        let timestamp = try #require(request.header("webhook-timestamp").flatMap { Double($0) })
        #expect(abs(timestamp - Date().timeIntervalSince1970) < 300)
        let content = Array("\(request.id).\(Int64(timestamp)).".utf8) + request.body
        let code = Data(HMAC<SHA256>.authenticationCode(for: content, using: key)).base64EncodedString()
        #expect(request.header("webhook-signature") == "v1,\(code)")
    }

    @Test func `get the same once more where it was not noted that they took it, and lose nothing`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                Self.accepted
            } _: { server in
                try await scene.sending {
                    _ = try await scene.add(server, events: [.messageCreated])
                    let group = try await scene.startGroup()
                    for number in 0..<3 { try await scene.log.send("\(number)", to: group.id, by: group.owner) }
                    try await eventually("all came") {
                        try await scene.count("parley.webhook_places WHERE due_at IS NULL") == 1
                            && server.requests.count == 3
                    }
                    let second = try server.requests[1].place()
                    // As a process leaves it that was killed after the second was taken and before that was noted.
                    try await scene.log.store.pool.execute(
                        """
                        UPDATE parley.webhook_places SET claim = gen_random_uuid(), due_at = now(),
                            next_version = \(second.version)
                        """
                    )
                    try await eventually("they came again") { server.requests.count == 5 }
                    let ids = server.requests.map(\.id)
                    #expect(Array(ids[3...]) == Array(ids[1...2]))
                    #expect(server.requests[3].body == server.requests[1].body)
                }
            }
        }
    }

    @Test func `get nothing again that they took before a process was killed in the middle of its turn`() async throws {
        try await WebhookScene.with { scene in
            let come = Mutex(0)
            try await WebTestServer.with { _ in
                let number = come.withLock { count in
                    count += 1
                    return count
                }
                Changes.note()
                // The third one hears nothing, the first time.
                return number == 3 ? .silence : Self.accepted
            } _: { server in
                try await scene.sending(deadline: .seconds(3_600)) {
                    let webhook = try await scene.add(server, events: [.messageCreated])
                    _ = try await scene.webhooks.update(webhook.id) { _ in
                    } _: {
                        $0.disabledAt = Date()
                        $0.disabledReason = .operator
                    }
                    let group = try await scene.startGroup()
                    for number in 0..<3 { try await scene.log.send("\(number)", to: group.id, by: group.owner) }
                    try await eventually("all wait, for one turn") {
                        try await scene.count("parley.webhook_places WHERE head_version = next_version + 2") == 1
                    }
                    _ = try await scene.webhooks.update(webhook.id) { _ in
                    } _: {
                        $0.disabledAt = nil
                        $0.disabledReason = nil
                    }
                    try await eventually("it waits for the third answer") { server.requests.count == 3 }
                    // As a process leaves it that is killed now.
                    try await scene.log.store.pool.execute(
                        "UPDATE parley.webhook_places SET claim = gen_random_uuid(), due_at = now()"
                    )
                    try await eventually("the rest came") {
                        try await scene.count("parley.webhook_places WHERE due_at IS NULL") == 1
                    }
                    let ids = server.requests.map(\.id)
                    #expect(ids == Array(ids.prefix(3)) + ids[2...2] && Set(ids).count == 3)
                    #expect(try await scene.count("parley.webhook_deliveries WHERE status = 204") == 3)
                }
            }
        }
    }

    @Test func `are told again from a position or a time on, exactly, by the same ids`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                Self.accepted
            } _: { server in
                try await scene.sending {
                    let webhook = try await scene.add(server, events: [.messageCreated])
                    let group = try await scene.startGroup()
                    for number in 0..<6 { try await scene.log.send("\(number)", to: group.id, by: group.owner) }
                    func isQuiet() async throws -> Bool {
                        try await scene.count("parley.webhook_places WHERE due_at IS NOT NULL") == 0
                    }
                    try await eventually("all came") { try await isQuiet() && server.requests.count == 6 }
                    let first = Array(server.requests)
                    let third = try first[2].place()
                    let replay = WebhookReplay(store: scene.log.store)
                    let start = WebhookReplay.Start.position(partition: third.partition, third.position)
                    #expect(try await replay.begin(webhook.id, from: start, only: nil) == 1)
                    try await eventually("four came again") { try await isQuiet() && server.requests.count == 10 }
                    #expect(server.requests[6...].map(\.id) == first[2...].map(\.id))
                    #expect(server.requests[6...].map(\.body) == first[2...].map(\.body))

                    let since = try first[4].place().timestamp
                    let expected = try first.filter { try $0.place().timestamp >= since }.map(\.id)
                    #expect(try await replay.begin(webhook.id, from: .time(since), only: [group.id]) == 1)
                    try await eventually("those came again") {
                        try await isQuiet() && server.requests.count == 10 + expected.count
                    }
                    #expect(server.requests[10...].map(\.id) == expected)
                    #expect(try await replay.begin(webhook.id, from: .time(since), only: [UUID()]) == 0)
                    #expect(try await replay.begin(UUID(), from: .time(since), only: nil) == 0)
                    let future = Date().addingTimeInterval(3_600)
                    #expect(try await replay.begin(webhook.id, from: .time(future), only: nil) == 0)
                }
            }
        }
    }

    @Test func `wait for nobody: neither for a silent server nor behind 100,000 conversations`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { request in
                request.target == "/silent" ? .silence : Self.accepted
            } _: { server in
                // No request to the silent one ends while the test runs, however slow the machine.
                try await scene.sending(deadline: .seconds(3_600)) {
                    let many = try await scene.add(server, "/many", events: [.conversationCreated])
                    _ = try await scene.add(server, "/silent", events: [.messageCreated])
                    _ = try await scene.add(server, "/quick", events: [.messageCreated])
                    // Of conversations that the log does not know: each costs a claim.
                    try await scene.log.store.pool.execute(
                        """
                        INSERT INTO parley.webhook_places (webhook_id, conversation_id, next_version, head_version, due_at)
                        SELECT \(many.id), gen_random_uuid(), 1, 1, now() FROM generate_series(1, 100000)
                        """
                    )
                    for _ in 0..<30 {
                        let group = try await scene.startGroup()
                        try await scene.log.send("hello", to: group.id, by: group.owner)
                    }
                    try await eventually("the quick one has all") {
                        server.requests.count { $0.target == "/quick" } == 30
                    }
                    #expect(server.requests.count { $0.target == "/silent" } < 2 * WebhookQueue.claimsOfWebhook)
                    #expect(try await scene.count("parley.webhook_places WHERE due_at IS NOT NULL") > 1_000)
                }
            }
        }
    }
}
