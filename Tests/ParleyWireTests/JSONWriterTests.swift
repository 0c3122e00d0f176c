import Foundation
import NIOCore
import Testing

@testable import ParleyWire

struct JSONWriterTests {
    /// Asserts that a value is written as the encoder writes it, member by member.
    private func expectSame<Value: JSONWritable & Codable & Equatable>(_ value: Value) throws {
        let bytes = Data(JSONWriter.data(of: value))
        let encoded = try WireJSON.encoder().encode(value)
        let ours = try JSONSerialization.jsonObject(with: bytes) as? NSDictionary
        #expect(ours == (try JSONSerialization.jsonObject(with: encoded) as? NSDictionary))
        #expect(bytes.count == encoded.count)
        #expect(try WireJSON.decoder().decode(Value.self, from: bytes) == value)
        // A line break would end an event of the stream.
        #expect(!bytes.contains { $0 < 0x20 })
    }

    @Test func `every shape that writes itself is written as the encoder writes it`() throws {
        var random = WireSamples(seed: 1)
        for _ in 0..<100 {
            try expectSame(random.message())
            try expectSame(random.conversation())
            try expectSame(random.conversationPage())
            try expectSame(random.history())
            try expectSame(random.snapshot())
            try expectSame(random.participants())
            try expectSame(random.created())
            try expectSame(random.receipts())
            try expectSame(random.settings())
        }
    }

    @Test func `every event of the stream is written as the encoder writes it, and read back as it was`() throws {
        var random = WireSamples(seed: 2)
        for round in 0..<20 {
            let events = random.events() + [StreamEvent.unknown(name: "poll.opened")]
            #expect(Set(events.compactMap(\.knownName)) == Set(StreamEventName.allCases))
            for event in events {
                try expectSame(SyncDelta.Event(id: round.isMultiple(of: 2) ? "c1" : nil, event: event))
                #expect(try StreamEvent(name: event.name, data: event.data()) == event)
            }
        }
    }

    @Test func `equal values are written as equal bytes, however their maps came to be`() {
        var random = WireSamples(seed: 3)
        for _ in 0..<20 {
            var page = random.history()
            page.users = random.users(40)
            var other = page
            // The order of a dictionary differs from one to the next, most of all where its capacity does.
            other.users = Dictionary(minimumCapacity: 1_000)
            for (id, user) in page.users ?? [:] { other.users?[id] = user }
            #expect(page == other)
            #expect(JSONWriter.data(of: page) == JSONWriter.data(of: other))
        }
    }

    @Test func `a message weighs about what it takes, however many it names`() {
        var random = WireSamples(seed: 4)
        var message = random.message()
        message.mentions = (0..<100).map { _ in .user(WireID()) }
        message.reactions = (0..<20).map { _ in
            Reaction(emoji: "🐌", count: 50, mine: false, userIds: (0..<50).map { _ in WireID() })
        }
        let bytes = JSONWriter.data(of: message).count
        #expect((bytes / 2...bytes * 2).contains(message.weight))
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (-7, "-7"), (1.5, "1.5"), (1e300, "1e+300"), (-0.0, "-0"),
        (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
    ])
    func `numbers are numbers of JSON`(number: Double, text: String) throws {
        #expect(String(decoding: JSONWriter.data(of: JSONValue.number(number)), as: UTF8.self) == text)
        guard number.isFinite else { return }
        #expect(try WireJSON.encoder().encode([number]) == Data("[\(text)]".utf8))
    }
}
