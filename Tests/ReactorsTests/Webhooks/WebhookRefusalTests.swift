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

@Suite(.database, .timeLimit(.minutes(10))) struct `Webhooks that refuse` {
    private static let accepted = WebTestServer.Answer.answer(status: 204)

    @Test func `are tried again, and nothing overtakes what they refused`() async throws {
        try await WebhookScene.with { scene in
            let refuses = Mutex(true)
            try await WebTestServer.with { _ in
                refuses.withLock { $0 } ? .answer(status: 500) : Self.accepted
            } _: { server in
                try await scene.sending {
                    let webhook = try await scene.add(server, events: [.messageCreated])
                    let group = try await scene.startGroup()
                    for number in 0..<3 { try await scene.log.send("\(number)", to: group.id, by: group.owner) }
                    try await eventually("a refusal is noted") {
                        try await scene.count("parley.webhook_places WHERE attempts = 1 AND due_at > now()") == 1
                    }
                    let pool = scene.log.store.pool
                    let state = try await WebhookQueueState.read(on: pool)
                    #expect(state.waiting == 1 && state.failing != nil)
                    let troubles = try await WebhookTrouble.all(on: pool)
                    #expect(troubles.map(\.webhook) == [webhook.id] && troubles.first?.disabledReason == nil)
                    #expect(Set(server.requests.map(\.id)).count == 1)
                    try await scene.passTime()
                    try await eventually("a second one") {
                        try await scene.count("parley.webhook_places WHERE attempts = 2 AND due_at > now()") == 1
                    }
                    #expect(Set(server.requests.map(\.id)).count == 1)
                    refuses.withLock { $0 = false }
                    try await scene.passTime()
                    try await eventually("all are taken") {
                        try await scene.count("parley.webhook_deliveries WHERE status = 204") == 3
                    }
                    let positions = try server.requests.map { try $0.place().position }
                    #expect(positions == positions.sorted())
                    let bodies = server.requests.map(\.body)
                    #expect(bodies[0] == bodies[1])
                    #expect(try await scene.count("parley.webhook_places WHERE attempts > 0") == 0)
                    #expect(try await WebhookTrouble.all(on: pool).isEmpty)
                }
            }
        }
    }

    @Test func `for days are disabled, somebody is told, and enabled they get all`() async throws {
        try await WebhookScene.with { scene in
            let refuses = Mutex(true)
            try await WebTestServer.with { _ in
                refuses.withLock { $0 } ? .hangUp : Self.accepted
            } _: { server in
                try await scene.sending {
                    let webhook = try await scene.add(server, events: [.messageCreated])
                    let group = try await scene.startGroup()
                    try await scene.log.send("first", to: group.id, by: group.owner)
                    try await eventually("a refusal") {
                        try await scene.count("parley.webhook_places WHERE attempts = 1") == 1
                    }
                    try await scene.log.store.pool.execute(
                        """
                        UPDATE parley.webhook_places SET attempts = 9, failing_since = now() - interval '76 hours',
                            due_at = now()
                        """
                    )
                    try await eventually("it is disabled") {
                        try await scene.webhooks.find(webhook.id)?.disabledReason == .failing
                    }
                    #expect(scene.disabled.all == [webhook.id])
                    let before = server.requests.count
                    try await scene.log.send("second", to: group.id, by: group.owner)
                    try await scene.passTime()
                    try await eventually("it is noted") {
                        try await scene.count("parley.webhook_places WHERE head_version > next_version") == 1
                    }
                    #expect(server.requests.count == before)
                    let state = try await WebhookQueueState.read(on: scene.log.store.pool)
                    #expect(state == WebhookQueueState(waiting: 0, oldest: nil, failing: nil))
                    let troubles = try await WebhookTrouble.all(on: scene.log.store.pool)
                    #expect(troubles.map(\.webhook) == [webhook.id] && troubles.first?.disabledReason == "failing")
                    refuses.withLock { $0 = false }
                    _ = try await scene.webhooks.update(webhook.id) { _ in
                    } _: {
                        $0.disabledAt = nil
                        $0.disabledReason = nil
                    }
                    try await eventually("both came") {
                        try await scene.count("parley.webhook_deliveries WHERE status = 204") == 2
                    }
                    #expect(scene.disabled.all == [webhook.id])
                }
            }
        }
    }

    @Test func `and say that they are gone are disabled at once`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                .answer(status: 410)
            } _: { server in
                try await scene.sending {
                    let webhook = try await scene.add(server)
                    _ = try await scene.startGroup()
                    try await eventually("it is disabled") {
                        try await scene.webhooks.find(webhook.id)?.disabledReason == .gone
                    }
                    #expect(scene.disabled.all == [webhook.id])
                    #expect(server.requests.count == 1)
                }
            }
        }
    }

    @Test func `are not disabled without the word that somebody gets of it`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                .answer(status: 410)
            } _: { server in
                try await scene.sending {
                    scene.disabled.setReachable(false)
                    let webhook = try await scene.add(server)
                    _ = try await scene.startGroup()
                    try await eventually("it was tried, and tried again") { scene.disabled.failed >= 2 }
                    #expect(try await scene.webhooks.find(webhook.id)?.disabledAt == nil)
                    scene.disabled.setReachable(true)
                    try await eventually("it is disabled") {
                        try await scene.webhooks.find(webhook.id)?.disabledReason == .gone
                    }
                    #expect(scene.disabled.all == [webhook.id])
                }
            }
        }
    }

    @Test func `are told what comes after an event that cannot be rendered, in the end`() async throws {
        let metrics = NotedMetrics()
        try await withMetricsFactory(metrics) {
            try await WebhookScene.with { scene in
                try await WebTestServer.with { _ in
                    Self.accepted
                } _: { server in
                    let broken = UUID()
                    try await scene.sending(unrenderable: broken) {
                        let webhook = try await scene.add(server, events: [.messageCreated])
                        let group = try await scene.startGroup()
                        try await scene.log.send("planted-before", to: group.id, by: group.owner)
                        try await scene.log.send("planted-broken", to: group.id, by: group.owner, message: broken)
                        try await scene.log.send("planted-after", to: group.id, by: group.owner)
                        let pool = scene.log.store.pool
                        try await eventually("it is seen to fail") {
                            try await WebhookTrouble.all(on: pool).map(\.webhook) == [webhook.id]
                        }
                        try await eventually("it is passed") {
                            let waiting: SQL = "parley.webhook_places WHERE claim IS NULL AND due_at > now()"
                            if try await scene.count(waiting) == 1 {
                                try await pool.execute(
                                    """
                                    UPDATE parley.webhook_places SET due_at = now()
                                    WHERE claim IS NULL AND due_at > now()
                                    """
                                )
                            }
                            return try await scene.count("parley.webhook_deliveries WHERE status = 204") == 2
                        }
                        #expect(metrics["parley_reactor_skipped_events_total webhooks"] == 1)
                        #expect(try await WebhookTrouble.all(on: pool).isEmpty)
                    }
                }
            }
        }
    }
}
