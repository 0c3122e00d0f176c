import Foundation
import HTTPTypes
import Identity
import Outbound
import ParleyWire
import Reactors
import TestSupport
import Testing

@testable import API

@Suite(.database, .timeLimit(.minutes(10))) struct `Webhooks that are told again` {
    private struct Place: Decodable {
        let partition: Int
        let position: Int64
    }

    /// A message that is of a conversation.
    private struct ConversationMessage: Decodable {
        struct Content: Decodable {
            let conversation: Shown
        }

        struct Shown: Decodable {
            let groupName: String?
            let headSeq: Int64
            let participantIds: [WireID]
        }

        let type: String
        let data: Content
    }

    @Test func `get the same, byte for byte, and nobody's own view when who did it has left`() async throws {
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
                let webhook = try await operated.send(.post, "/admin/v1/webhooks", body: body)
                    .decode(ListedWebhook.self, status: .created)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await client.run() }
                    group.addTask { await operated.engine(client).run() }
                    try await Self.replay(webhook, operated, receiver)
                    group.cancelAll()
                }
            }
        }
    }

    private static func replay(_ webhook: ListedWebhook, _ operated: Operated, _ receiver: WebTestServer) async throws {
        try await operated.untilWebhooksFollow()
        let server = operated.server
        let ada = try await server.register("Ada")
        let (ben, eve) = (try await server.register("Ben"), try await server.register("Eve"))
        let group = try await ada.startGroup(with: [ben, eve])
        let path = "/v1/conversations/\(group.id)"
        let role: JSONValue = .object(["role": .string("admin")])
        _ = try await ada.send(.put, "\(path)/participants/\(ben.id)", body: role).decode(JSONValue.self)
        try await ben.say("planted-again", in: group.id)
        let name: JSONValue = .object(["groupName": .string("Others")])
        _ = try await ben.send(.patch, path, body: name).decode(JSONValue.self)
        var arrivals = receiver.arrivals.makeAsyncIterator()
        for _ in 0..<4 { _ = await arrivals.next() }

        let first = try WireJSON.decoder().decode(Place.self, from: Data(receiver.requests[0].body))
        let start: JSONValue = .object([
            "partition": .number(Double(first.partition)), "position": .number(Double(first.position)),
        ])
        let replay = "/admin/v1/webhooks/\(webhook.id)/replay"
        #expect(try await operated.send(.post, replay, body: start).status == .accepted)
        for _ in 0..<4 { _ = await arrivals.next() }
        let ids = receiver.requests.map { $0.header("webhook-id") }
        #expect(ids.count == 8 && Array(ids[4...]) == Array(ids[..<4]))
        // When the group was started its name was another one, and Ben a member as any.
        #expect(receiver.requests[5...].map(\.body) == receiver.requests[1..<4].map(\.body))

        let left = try await ben.send(.post, "\(path)/leave")
        try #require((200..<300).contains(left.status.code), "\(left.text)")
        try await eve.say("planted-later", in: group.id)
        for _ in 0..<2 { _ = await arrivals.next() }
        #expect(try await operated.send(.post, replay, body: start).status == .accepted)
        for _ in 0..<6 { _ = await arrivals.next() }
        let renamed = try WireJSON.decoder().decode(
            ConversationMessage.self,
            from: Data(receiver.requests[13].body)
        )
        let seen = try await eve.send(.get, path).decode(Conversation.self)
        #expect(renamed.type == "conversation.updated" && renamed.data.conversation.groupName == "Others")
        #expect(renamed.data.conversation.headSeq == seen.headSeq)
        #expect(renamed.data.conversation.participantIds == seen.participantIds)
        let audit = try await operated.send(.get, "/admin/v1/audit").decode(ListPage<ListedAct>.self).items
        let replays = audit.filter { $0.action == "webhook.replay" }
        #expect(replays.map(\.target) == ["\(webhook.id)", "\(webhook.id)"])
    }
}
