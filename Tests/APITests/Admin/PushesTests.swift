import Foundation
import HTTPTypes
import Identity
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API

@Suite(.database) struct `A message's notifications` {
    @Test func `are told with their outcomes and times, to operators alone, and without a text`() async throws {
        try await Operated.with(.read) { operated in
            let ada = try await operated.server.register("Ada")
            let grace = try await operated.server.register("Grace")
            let device = WireID()
            let address: JSONValue = .object(["platform": .string("fcm"), "token": .string("planted-token")])
            #expect(try await grace.send(.put, "/v1/devices/\(device)", body: address).status == .created)
            let path = "/v1/conversations/direct/\(grace.id)"
            let conversation = try await ada.send(.put, path).decode(Conversation.self)
            let message = try await ada.say("planted-notified", in: conversation.id)
            // The read models have it from here on.
            _ = try await ada.get(HistoryPage.self, "/v1/conversations/\(conversation.id)/messages")
            try await Self.plant(message, in: conversation.id, to: grace.id, on: device)

            let pushes = "/admin/v1/messages/\(message.id)/pushes"
            let answer = try await operated.send(.get, pushes)
            let items = try answer.decode(ListPage<ListedPush>.self).items
            #expect(items.map(\.outcome) == ["waiting", "dead"])
            #expect(items.allSatisfy { $0.userId == grace.id && $0.deviceId == device && $0.provider == "fcm" })
            #expect(items.allSatisfy { $0.conversationId == conversation.id && $0.kind == "alert" })
            let dead = try #require(items.last)
            #expect(dead.reason == "other" && dead.attempts == 5 && dead.milliseconds == 730)
            #expect(!answer.text.contains("planted"))

            try await operated.send(.get, "/admin/v1/messages/\(WireID())/pushes").expect(.notFound)
            try await operated.send(.get, "/admin/v1/messages/x/pushes").expect(.notFound)
            try await operated.send(.get, pushes, token: "nonsense").expect(.unauthenticated)
            try await ada.send(.get, pushes).expect(.notFound)
        }
    }

    /// One that nobody took, and one that still waits.
    private static func plant(
        _ message: Message,
        in conversation: WireID,
        to person: WireID,
        on device: WireID
    ) async throws {
        let (seq, pool) = (try #require(message.seq), TestDatabase.current.pool)
        try await pool.execute(
            """
            INSERT INTO parley.push_outcomes (from_seq, seq, milliseconds, attempts, conversation_id, person_id, device_id,
                platform, kind, outcome, reason)
            VALUES (\(seq), \(seq), 730, 5, \(conversation.uuid), \(person.uuid), \(device.uuid), 'fcm', 'alert', 'dead',
                'other')
            """
        )
        try await pool.execute(
            """
            INSERT INTO parley.push_notifications (due_at, newest_at, from_seq, seq, pending, conversation_id, person_id,
                device_id, message_id, sender_id, platform, origin)
            VALUES (now() + interval '1 minute', now(), \(seq), \(seq), 1, \(conversation.uuid), \(person.uuid),
                \(device.uuid), \(message.id.uuid), \(person.uuid), 'fcm', 'fcm')
            """
        )
    }
}
