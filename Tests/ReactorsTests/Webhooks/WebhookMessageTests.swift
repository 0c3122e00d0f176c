import EventSourcing
import Foundation
import Messaging
import ParleyWire
import Testing

@testable import Reactors

@Suite struct `A message to a webhook` {
    private let record = RecordedEvent(
        partition: 3,
        position: 17,
        stream: StreamID(.conversation, UUID()),
        version: 5,
        commandID: UUID(),
        ordinal: 0,
        actor: nil,
        correlationID: nil,
        causationID: nil,
        recordedAt: Date(timeIntervalSince1970: 1_800_000_000.123),
        body: .undecodable(type: "x", reason: "x"),
        size: 1
    )

    private typealias JSON = ParleyWire.JSONValue

    private func object(_ message: WebhookMessage) throws -> [String: JSON] {
        guard case .object(let object) = try WireJSON.decoder().decode(JSON.self, from: Data(message.body)) else {
            return [:]
        }
        return object
    }

    @Test func `says what, when and where`() throws {
        let message = WebhookMessage(.messageCreated, Data(#"{"a":1}"#.utf8), of: record)
        #expect(message.id == "evt_3_17_1800000000123")
        let object = try object(message)
        #expect(object["type"] == .string("message.created"))
        #expect(object["timestamp"] == .string("2027-01-15T08:00:00.123Z"))
        #expect(object["conversationId"] == .string("\(WireID(record.stream.id))"))
        #expect(
            object["partition"] == .number(3) && object["position"] == .number(17) && object["version"] == .number(5)
        )
        #expect(object["data"] == .object(["a": .number(1)]) && object["thin"] == nil)
    }

    @Test func `has ids alone where it would be long`() throws {
        let long = String(repeating: "ü", count: 10_500)
        let data = Data(#"{"conversationId":"c","message":{"id":"m","seq":4,"text":"\#(long)"},"sender":{}}"#.utf8)
        let message = WebhookMessage(.messageCreated, data, of: record)
        #expect(message.body.count < 1_000)
        let object = try object(message)
        let kept: ParleyWire.JSONValue = .object(["id": .string("m"), "seq": .number(4)])
        #expect(object["data"] == .object(["conversationId": .string("c"), "message": kept]))
        #expect(object["thin"] == .bool(true))
        #expect(WebhookMessage(.messageCreated, data, of: record).id == message.id)
    }

    @Test func `is signed by both secrets while they are rotated, and shows neither`() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var target = WebhookTarget(url: try #require(URL(string: "https://example.org/planted-path")))
        func signatures(at time: Date) -> [Substring] {
            target.headers(of: [1, 2], id: "x", at: time).first { $0.name == "webhook-signature" }?.value
                .split(separator: " ") ?? []
        }
        let old = signatures(at: now)
        target.rotate(at: now, keepingOldFor: 60)
        let both = signatures(at: now)
        #expect(both.count == 2 && both.last == old.first)
        #expect(signatures(at: now.addingTimeInterval(60)).count == 1)
        target.rotate(at: now, keepingOldFor: 60)
        #expect(target.secrets.count == 2)
        let stored = try JSONDecoder().decode(WebhookTarget.self, from: JSONEncoder().encode(target))
        #expect(stored == target)
        for text in ["\(target)", String(reflecting: target), "\(target.secrets)", String(reflecting: target.secrets)] {
            #expect(!text.contains("planted") && !text.contains("whsec"))
        }
        #expect(try #require(target.secrets.first).exposed.hasPrefix("whsec_"))
    }

    @Test func `is tried for three days, and no longer`() {
        let begin = Date(timeIntervalSince1970: 1_800_000_000)
        var time = begin
        var attempts = 1
        while let pause = WebhookSchedule.pause(after: attempts, since: begin, at: time, chance: 0.5) {
            time += pause / .seconds(1)
            attempts += 1
        }
        #expect(attempts == 10)
        let threeDaysAndMore: TimeInterval = 75 * 3_600 + 35 * 60 + 5
        #expect(time.timeIntervalSince(begin) == threeDaysAndMore)
        // Tries that came early use up none of the days.
        let early = WebhookSchedule.pause(after: 12, since: begin, at: begin.addingTimeInterval(60), chance: 0)
        #expect(early == .seconds(86_400))
    }
}
