import EventSourcing
import EventStore
import Foundation
import Logging
import Messaging
import Outbound
import ParleyWire
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Reactors

/// A log, webhooks, and what tells them.
struct WebhookScene: Sendable {
    let log: TestLog
    let webhooks: Webhooks
    /// Of the engine that runs.
    private let interest = Interest()
    /// The webhooks of which somebody was told that they are disabled.
    let disabled = Disabled()

    final class Disabled: Sendable {
        struct Unreachable: Error {}

        private let ids = Mutex<[UUID]>([])
        private let tries = Mutex<(failed: Int, isReachable: Bool)>((0, true))

        var all: [UUID] { ids.withLock { $0 } }
        /// How often nobody could be told.
        var failed: Int { tries.withLock { $0.failed } }

        func setReachable(_ isReachable: Bool) {
            tries.withLock { $0.isReachable = isReachable }
        }

        func note(_ id: UUID) throws {
            defer { Changes.note() }
            try tries.withLock { tries in
                guard !tries.isReachable else { return }
                tries.failed += 1
                throw Unreachable()
            }
            ids.withLock { $0.append(id) }
        }
    }

    struct Unrenderable: Error {}

    private final class Interest: Sendable {
        let current = Mutex<WebhookInterest?>(nil)
    }

    static func with(_ body: @Sendable (WebhookScene) async throws -> Void) async throws {
        try await TestLog.with(isProjecting: true) { log in
            try await body(WebhookScene(log: log, webhooks: Webhooks(pool: log.store.pool, keyring: log.store.keyring)))
        }
    }

    /// Runs what tells webhooks while the body runs.
    ///
    /// - Parameters:
    ///   - deadline: how long a server has for its answer.
    ///   - unrenderable: a message that cannot be rendered.
    func sending(
        deadline: Duration = .seconds(15),
        unrenderable: UUID? = nil,
        _ body: @Sendable () async throws -> Void
    ) async throws {
        let client = try OutboundClient(
            rules: .vetted(allowed: try #require(AllowedHosts(["127.0.0.1"]))),
            logger: SecretWatch.logger
        )
        let engine = WebhookEngine(
            store: log.store,
            checkpoints: log.checkpoints,
            sender: WebhookSender(client: client, deadline: deadline),
            render: { record in
                if case .event(let event as ConversationEvent) = record.body, case .messageSent(let sent) = event,
                    sent.messageID == unrenderable
                {
                    throw Unrenderable()
                }
                return Data(#"{"conversationId":"\#(WireID(record.stream.id))","version":\#(record.version)}"#.utf8)
            },
            disabled: { [disabled] id, _ in try disabled.note(id) },
            logger: SecretWatch.logger
        )
        interest.current.withLock { $0 = engine.interest }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            group.addTask { await engine.run() }
            // It begins at the log's ends, wherever they are when it comes to that.
            try await eventually("positions") {
                try await count("parley.consumers WHERE name = 'webhooks'") == TestLog.partitions
            }
            try await body()
            group.cancelAll()
        }
    }

    func add(
        _ server: WebTestServer,
        _ path: String = "/hook",
        events: Set<StreamEventName> = []
    ) async throws -> Webhook {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
        let webhook = Webhook(
            id: UUID(),
            target: WebhookTarget(url: url),
            events: events,
            conversations: nil,
            createdAt: Date(),
            createdBy: "console:test"
        )
        for secret in webhook.target.secrets { SecretWatch.add(secret.exposed) }
        try #require(try await webhooks.add(webhook) { _ in })
        // Instead of the wait after which every process has heard of it.
        try await interest.current.withLock { $0 }?.ask(log.store.pool)
        return webhook
    }

    /// A group and its owner.
    func startGroup() async throws -> (id: UUID, owner: UUID) {
        let (id, owner) = (UUID(), UUID())
        try await log.register(owner)
        try await log.startGroup(id, owner)
        return (id, owner)
    }

    func count(_ rows: SQL) async throws -> Int {
        try await log.store.pool.query("SELECT count(*) FROM \(rows)").first?.decode(0) ?? 0
    }

    /// Has what waits come due, as time would.
    func passTime() async throws {
        try await log.store.pool.execute("UPDATE parley.webhook_places SET due_at = now() WHERE due_at IS NOT NULL")
    }
}

extension WebTestServer.Request {
    /// What the message says of its place.
    struct Place: Decodable, Equatable {
        let type: String
        let conversationId: WireID
        let partition: Int
        let position: Int64
        let version: Int64
        let timestamp: Date
    }

    func place() throws -> Place { try WireJSON.decoder().decode(Place.self, from: Data(body)) }

    var id: String { header("webhook-id") ?? "" }
}
