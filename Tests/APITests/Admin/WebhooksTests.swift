import EventStore
import Foundation
import HTTPTypes
import Identity
import Live
import Outbound
import ParleyWire
import Postgres
import Reactors
import ServiceLifecycle
import TestSupport
import Testing

@testable import API

@Suite(.database) struct `The operators' webhooks` {
    private let url: JSONValue = .string("https://example.org/hook?key=planted-key")

    @Test func `are made, listed, changed and removed, and each act is in the audit`() async throws {
        try await Operated.with { operated in
            let path = "/admin/v1/webhooks"
            let answer = try await operated.send(.post, path, body: .object(["url": url]))
            let made = try answer.decode(ListedWebhook.self, status: .created)
            let secret = try #require(made.secret)
            SecretWatch.add(secret)
            #expect(secret.hasPrefix("whsec_") && made.enabled && made.conversations == nil)
            #expect(made.events.count == WebhookEvents.all.count && made.createdBy == "deploy")
            let list = try await operated.send(.get, path)
            #expect(!list.text.contains("whsec_"))
            #expect(try list.decode(ListPage<ListedWebhook>.self).items.map(\.id) == [made.id])
            // Neither where it leads nor its secret can be read in the database.
            let rows = try await operated.server.eventStore.pool.query("SELECT w::text FROM parley.webhooks w")
            #expect(try rows.map { try $0.decode(0, as: String.self) }.allSatisfy { !$0.contains("example") })

            let conversation = WireID()
            let some: JSONValue = .object([
                "events": .array([.string("message.created")]), "conversations": .array([.string("\(conversation)")]),
                "enabled": .bool(false),
            ])
            let changed = try await operated.send(.patch, "\(path)/\(made.id)", body: some).decode(ListedWebhook.self)
            #expect(changed.events == ["message.created"] && changed.conversations == [conversation])
            #expect(!changed.enabled && changed.disabledReason == "operator" && changed.url == made.url)
            let all: JSONValue = .object(["conversations": .null, "enabled": .bool(true)])
            let again = try await operated.send(.patch, "\(path)/\(made.id)", body: all).decode(ListedWebhook.self)
            #expect(again.enabled && again.conversations == nil && again.events == ["message.created"])

            let rotated = try await operated.send(.post, "\(path)/\(made.id)/secret").decode(ListedWebhook.self)
            #expect(rotated.secret != secret)
            SecretWatch.add(try #require(rotated.secret))
            #expect(try await operated.send(.delete, "\(path)/\(made.id)").status == .noContent)
            try await operated.send(.delete, "\(path)/\(made.id)").expect(.notFound)
            try await operated.send(.get, "\(path)/\(made.id)").expect(.notFound)
            let audit = try await operated.send(.get, "/admin/v1/audit").decode(ListPage<ListedAct>.self).items
            #expect(
                audit.map(\.action) == [
                    "webhook.delete", "webhook.secret", "webhook.update", "webhook.update", "webhook.create",
                    "operator.create",
                ]
            )
            #expect(audit.dropLast().allSatisfy { $0.target == "\(made.id)" && $0.operator == "deploy" })
        }
    }

    @Test func `say what is wrong with them`() async throws {
        try await Operated.with { operated in
            let path = "/admin/v1/webhooks"
            for text in [
                "", "x", "ftp://example.org", "https://a:b@example.org", "https://example.org/#a", "https:///x",
                "https://exa mple.org",
            ] {
                try await operated.send(.post, path, body: .object(["url": .string(text)]))
                    .expect(.validationFailed, pointer: "/url")
            }
            let bad: [(String, JSONValue)] = [
                ("events", .array([.string("typing.updated")])), ("conversations", .array([.string("x")])),
                ("conversations", .array([])),
            ]
            for (name, value) in bad {
                let answer = try await operated.send(.post, path, body: .object(["url": url, name: value]))
                #expect(try answer.problem().errors?.contains { $0.pointer?.hasPrefix("/\(name)") == true } == true)
            }
            let made = try await operated.send(.post, path, body: .object(["url": url])).decode(ListedWebhook.self)
            for body: [String: JSONValue] in [
                [:], ["since": .string("2026-03-01T00:00:00Z"), "partition": .number(0), "position": .number(1)],
                ["partition": .number(0)], ["since": .string("yesterday")],
                ["partition": .number(0), "position": .number(0)],
            ] {
                let answer = try await operated.send(.post, "\(path)/\(made.id)/replay", body: .object(body))
                try answer.expect(.validationFailed)
            }
            let none: JSONValue = .object(["since": .string("2026-03-01T00:00:00Z")])
            try await operated.send(.post, "\(path)/\(WireID())/replay", body: none).expect(.notFound)
            try await operated.send(.post, "\(path)/\(made.id)/test").expect(.unavailable)
        }
    }

    @Test func `lead to no address inside, however it is written, and say so when they are tested`() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200)
        } _: { inside in
            let client = try OutboundClient(rules: .vetted(), logger: SecretWatch.logger)
            try await Operated.with(.act) {
                $0.webhookSender = WebhookSender(client: client)
            } _: { operated in
                for (url, reason) in [
                    ("http://127.0.0.1:\(inside.port)/hook", "refusedURL"),
                    ("https://127.0.0.1:\(inside.port)/hook", "refusedAddress"),
                    ("https://localhost:\(inside.port)/hook", "refusedAddress"),
                    ("https://[::ffff:127.0.0.1]:\(inside.port)/hook", "refusedAddress"),
                    ("https://[64:ff9b::a9fe:a9fe]/latest", "refusedAddress"),
                    ("https://169.254.169.254/latest", "refusedAddress"),
                ] {
                    let body: JSONValue = .object(["url": .string(url)])
                    let made = try await operated.send(.post, "/admin/v1/webhooks", body: body)
                        .decode(ListedWebhook.self, status: .created)
                    let tested = try await operated.send(.post, "/admin/v1/webhooks/\(made.id)/test")
                    #expect(tested.text.contains(#""accepted":false"#), "\(url): \(tested.text)")
                    #expect(tested.text.contains(#""reason":"\#(reason)""#), "\(url): \(tested.text)")
                }
                #expect(inside.requests.isEmpty)
                let audit = try await operated.send(.get, "/admin/v1/audit").decode(ListPage<ListedAct>.self).items
                #expect(audit.prefix(2).map(\.action) == ["webhook.test", "webhook.create"])
                #expect(audit.first?.target == audit.dropFirst().first?.target)
            }
        }
    }

    @Test func `are told of what members are told, and show their tries`() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200)
        } _: { receiver in
            let client = try OutboundClient(
                rules: .vetted(allowed: try #require(AllowedHosts(["127.0.0.1"]))),
                logger: SecretWatch.logger
            )
            try await Operated.with(.act) {
                $0.webhookSender = WebhookSender(client: client)
            } _: { operated in
                let body: JSONValue = .object(["url": .string("http://127.0.0.1:\(receiver.port)/hook")])
                let made = try await operated.send(.post, "/admin/v1/webhooks", body: body)
                    .decode(ListedWebhook.self, status: .created)
                let path = "/admin/v1/webhooks/\(made.id)"
                let tested = try await operated.send(.post, "\(path)/test")
                #expect(tested.text.contains(#""accepted":true"#) && tested.text.contains(#""status":200"#))
                let test = try #require(receiver.requests.first)
                #expect(test.header("webhook-signature")?.hasPrefix("v1,") == true)

                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await client.run() }
                    group.addTask { await operated.engine(client).run() }
                    try await Self.talk(operated, until: { receiver.requests.count >= 9 })
                    group.cancelAll()
                }
                try Self.expectDelivered(receiver.requests.dropFirst().map { String(decoding: $0.body, as: UTF8.self) })
                let tries = try await operated.send(.get, "\(path)/deliveries?limit=5").decode(
                    ListPage<ListedDelivery>.self
                )
                #expect(tries.items.count == 5 && tries.items.allSatisfy { $0.status == 200 && $0.attempt == 1 })
                let next = try await operated.send(
                    .get,
                    "\(path)/deliveries?cursor=\(try #require(tries.nextCursor))"
                ).decode(ListPage<ListedDelivery>.self)
                #expect(Set(next.items.map(\.messageId)).isDisjoint(with: tries.items.map(\.messageId)))
            }
        }
    }

    /// Something of each kind.
    private static func talk(_ operated: Operated, until isDone: () -> Bool) async throws {
        let server = operated.server
        try await operated.untilWebhooksFollow()
        let ada = try await server.register("Ada")
        let (ben, eve) = (try await server.register("Ben"), try await server.register("Eve"))
        let group = try await ada.startGroup(with: [ben, eve])
        let message = try await ada.say("planted-first", in: group.id)
        _ = try await ada.edit(message, to: "planted-second")
        _ = try await ben.send(.put, "\(message.path)/reactions/%F0%9F%91%8D")
        _ = try await ada.send(
            .put,
            "/v1/conversations/\(group.id)/participants/\(ben.id)",
            body: .object(["role": .string("admin")])
        )
        _ = try await ada.send(.patch, "/v1/conversations/\(group.id)", body: .object(["groupName": .string("Others")]))
        _ = try await ada.send(.delete, "/v1/conversations/\(group.id)/participants/\(eve.id)")
        _ = try await ada.send(.delete, "\(message.path)?for=everyone")
        while !isDone() { await Task.pause() }
    }

    private static func expectDelivered(_ bodies: [String]) throws {
        let types = bodies.compactMap { $0.firstMatch(of: /"type":"([a-z.]+)"/).map { String($0.1) } }
        #expect(
            types == [
                "conversation.created", "message.created", "message.updated", "reaction.updated", "participant.updated",
                "conversation.updated", "participant.removed", "message.deleted",
            ]
        )
        // A conversation as nobody's own view, and no word of what is deleted once that is so.
        let created = try #require(bodies.first)
        #expect(created.contains(#""groupName":"#) && !created.contains(#""me":"#) && !created.contains("unreadCount"))
        #expect(!bodies[7].contains("planted") && bodies[7].contains("deletedAt"))
        #expect(!bodies[1].contains("recipientCount\":2"))
    }
}

extension Operated {
    /// Until what happens from now on is sent to webhooks.
    func untilWebhooksFollow() async throws {
        while try await server.eventStore.pool.query("SELECT 1 FROM parley.consumers WHERE name = 'webhooks'").isEmpty {
            await Task.pause()
        }
    }

    func engine(_ client: OutboundClient) -> WebhookEngine {
        let renderer = OnlookerRenderer(queries: server.dependencies.queries)
        return WebhookEngine(
            store: server.eventStore,
            checkpoints: server.dependencies.checkpoints,
            sender: WebhookSender(client: client),
            render: { try await renderer.data(of: $0) },
            disabled: { _, _ in },
            logger: SecretWatch.logger
        )
    }
}
