import EventSourcing
import Foundation
import Messaging
import Testing

/// What the golden bytes do not show: readings that do not hang on one sample.
@Suite struct EventCodingTests {
    @Test(arguments: [
        #"{"recipientCount":2,"seq":1}"#, #"{"clientTimestamp":1700000000123,"recipientCount":0,"seq":999999999999}"#,
        #"{"clientTimestamp":1700000000123.5,"recipientCount":2,"seq":1}"#, #"{"seq":1,"recipientCount":2}"#,
        #"{ "recipientCount": 2, "seq": 1 }"#, #"{"recipientCount":2,"seq":1234567890123456789}"#,
    ])
    func `a message reads the same, however its payload is written`(_ payload: String) throws {
        struct Payload: Decodable {
            let clientTimestamp: Double?
            let recipientCount: Int
            let seq: Int64
        }
        let expected = try JSONDecoder().decode(Payload.self, from: Data(payload.utf8))
        let read = try EventCatalog.messaging.decode(
            type: "messageSent",
            schemaVersion: 1,
            content: StoredContent(payload: Array(payload.utf8), personal: nil),
            context: GoldenEvent.messageSent[0].context
        )
        guard case .messageSent(let sent) = read as? ConversationEvent else {
            Issue.record("another event came back")
            return
        }
        #expect(sent.seq == expected.seq)
        #expect(sent.recipientCount == expected.recipientCount)
        #expect(sent.clientTimestamp == expected.clientTimestamp.map { Date(timeIntervalSince1970: $0 / 1_000) })
    }

    @Test func `receipts are written as the encoder writes them, and read back`() throws {
        let marks: [ReceiptsAdvanced.Mark] = [
            .init(person: ada, deliveredSeq: .max, readSeq: -1, publicReadSeq: 0),
            .init(person: person(0xab), deliveredSeq: 999_999_999_999_999_999, readSeq: 1),
            .init(person: grace, deliveredSeq: 7, readSeq: 1_000_000_000_000_000_000, publicReadSeq: .max),
            .init(person: alan, deliveredSeq: 0, readSeq: 0),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for start in marks.indices {
            for end in start...marks.endIndex {
                let advanced = ReceiptsAdvanced(marks: Array(marks[start..<end]))
                let payload = try ConversationEvent.receiptsAdvanced(advanced).encodePayload()
                #expect(try payload == [UInt8](encoder.encode(advanced)))
                #expect(try receipts(payload) == advanced)
            }
        }
    }

    @Test func `receipts read the same, however their payload is written`() throws {
        let advanced = ReceiptsAdvanced(marks: [.init(person: person(0xab), deliveredSeq: 3, readSeq: 2)])
        let id = "00000000-0000-4000-8000-0000000000AB"
        let payload = #"{"marks":[{"deliveredSeq":3,"person":"\#(id)","readSeq":2}]}"#
        let others = [
            payload.replacing(id, with: id.lowercased()), payload.replacing(",", with: ", "), payload + " ",
            payload.replacing("}]", with: #","publicReadSeq":null}]"#),
            #"{"marks":[{"readSeq":2,"person":"\#(id)","deliveredSeq":3}]}"#,
        ]
        for other in [payload] + others { #expect(try receipts(Array(other.utf8)) == advanced) }
        for broken in ["", String(payload.dropLast()), payload + "]", payload.replacing("3", with: "3x")] {
            #expect(throws: (any Error).self) { try receipts(Array(broken.utf8)) }
        }
    }

    private func receipts(_ payload: [UInt8]) throws -> ReceiptsAdvanced? {
        let read = try EventCatalog.messaging.decode(
            type: "receiptsAdvanced",
            schemaVersion: 1,
            content: StoredContent(payload: payload, personal: nil),
            context: DecodingContext(
                stream: StreamID(.receipts, UUID()),
                commandID: UUID(),
                actor: ada,
                subject: nil,
                recordedAt: .distantPast
            )
        )
        guard case .receiptsAdvanced(let advanced) = read as? ConversationEvent else { return nil }
        return advanced
    }

    @Test func `a program of a lower format does not know what came later`() throws {
        let catalog = EventCatalog([Newer.self])
        #expect(catalog.format == 3)
        let older = catalog.narrowed(to: 2)
        #expect(older.format == 2)
        #expect(older.kinds == [Newer.first])
        #expect(catalog.knows("noted", version: 2, in: .conversation))
        #expect(!older.knows("noted", version: 2, in: .conversation))
        func read(_ catalog: EventCatalog, _ version: Int) throws -> Newer? {
            try catalog.decode(
                type: "noted",
                schemaVersion: version,
                content: StoredContent(payload: Array("1".utf8), personal: nil),
                context: GoldenEvent.messageSent[0].context
            ) as? Newer
        }
        #expect(try read(catalog, 1)?.text == "1 upcast")
        #expect(try read(catalog, 2)?.text == "1")
        #expect(throws: UnknownEvent(type: "noted", schemaVersion: 2)) { try read(older, 2) }
    }

    @Test func `both sides derive the same direct conversation, of version 8`() {
        let id = DerivedID.directConversation(ada, grace)
        #expect(id == DerivedID.directConversation(grace, ada))
        #expect(id != DerivedID.directConversation(ada, alan))
        #expect(id.uuid.6 >> 4 == 8)
    }
}

/// An event whose second version a later program brought.
private struct Newer: DomainEvent {
    static let first = EventKind("noted", in: .conversation, format: 2) { content in
        StoredContent(payload: content.payload + Array(" upcast".utf8), personal: content.personal)
    }
    static let second = EventKind("noted", version: 2, in: .conversation, format: 3)
    static let kinds = [first, second]

    let text: String
    var kind: EventKind { Self.second }
    var subject: UUID? { nil }

    func encodePayload() throws -> [UInt8] { Array(text.utf8) }
    func encodePersonal() throws -> [UInt8]? { nil }

    init(_ kind: EventKind, _ content: StoredContent, _ context: DecodingContext) throws {
        text = String(decoding: content.payload, as: UTF8.self)
    }
}
