import Foundation
import NIOCore
import ParleyWire
import Testing

@testable import API

struct JSONWriterTests {
    private static let texts = [
        "", "plain", "\"quoted\" \\ back/slash", "one\ntwo\r\tthree", "\u{0}\u{1}\u{1f}\u{7f}",
        "é 🐌 \u{202e}rtl\u{2028}", String(repeating: "🐌\"", count: 5_000),
    ]

    private func message(_ text: String?, random: inout SeededRandom) -> StreamEvent.MessageCreated {
        func maybe<Value>(_ value: Value) -> Value? { random.chance(50) ? value : nil }
        let id = WireID()
        let time = Timestamp.date(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random))
        return StreamEvent.MessageCreated(
            conversationId: WireID(),
            message: Message(
                id: id,
                localId: id,
                conversationId: WireID(),
                seq: maybe(Int64.random(in: 1...Int64.max, using: &random)),
                senderId: WireID(),
                text: text,
                replyTo: maybe(ReplyTo(id: WireID(), seq: 7, senderId: WireID(), text: maybe(text ?? "x"))),
                mentions: [[], [WireID()], [WireID(), WireID()]].randomElement(using: &random) ?? [],
                timestamp: time,
                clientTimestamp: maybe(time),
                editedAt: maybe(time),
                deletedAt: maybe(time),
                status: maybe(.delivered),
                recipientCount: maybe(3),
                deliveredCount: maybe(2),
                readCount: maybe(0),
                deliveredTo: maybe([WireID(): time, WireID(): time]),
                readBy: maybe([:])
            ),
            sender: UserSummary(displayName: maybe(text ?? "Ada"), photoURL: maybe("https://example.org/a?b=c"))
        )
    }

    @Test func `a message is written as the encoder writes it, field by field`() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<20 {
            for text in Self.texts + [nil] {
                let created = message(text, random: &random)
                let bytes = try #require(JSONWriter.data(of: created))
                let encoded = try StreamEvent.messageCreated(created).data()
                let ours = try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary
                #expect(ours == (try JSONSerialization.jsonObject(with: encoded) as? NSDictionary))
                #expect(try StreamEvent(name: "message.created", data: Data(bytes)) == .messageCreated(created))
                #expect(!bytes.contains { $0 < 0x20 })
                let alone = try #require(JSONWriter.data(of: created.message))
                #expect(try WireJSON.decoder().decode(Message.self, from: Data(alone)) == created.message)
                #expect(
                    try JSONSerialization.jsonObject(with: Data(alone)) as? NSDictionary
                        == ours?["message"] as? NSDictionary
                )
            }
        }
    }

    @Test func `a message with rare parts is left to the encoder`() throws {
        var random = SeededRandom(seed: 1)
        var created = message("Hi", random: &random)
        created.message.data = .object(["a": .number(1)])
        #expect(JSONWriter.data(of: created) == nil)
        let block = try EventBlock(.messageCreated(created))
        #expect(String(buffer: block.withoutID).contains(#""data":{"a":1}"#))
    }
}
