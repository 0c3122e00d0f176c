import EventSourcing
import Foundation
import Messaging
import Testing

@Suite struct `An event in the log` {
    @Test(arguments: EventCatalog.messaging.kinds) func `has golden bytes, whatever its kind`(_ kind: EventKind) {
        let samples = GoldenEvent.all.filter { $0.matches(kind) }
        #expect(!samples.isEmpty, "\(kind) needs golden bytes: Tests/MessagingTests/Golden/\(kind.type).swift")
        // What may be sealed is also read without its key.
        if samples.contains(where: { $0.personal != nil }) {
            #expect(samples.contains { $0.origin == .erased }, "\(kind) needs a sample without the key")
        }
        if kind.upcast == nil {
            #expect(samples.contains { $0.origin == .today }, "\(kind) needs what is written today")
        }
    }

    @Test(arguments: EventCatalog.messaging.kinds.filter { $0.upcast == nil })
    func `has a sample for each of its optional fields`(_ kind: EventKind) {
        let events = GoldenEvent.all.filter { $0.matches(kind) && $0.origin == .today }.map(\.event)
        // What makes it one of another kind it has not.
        let others =
            switch kind.type {
            case "messageSent", "messageForwarded": ["retention", "pacedAt"]
            case "profileChanged": ["showPresence"]
            default: [String]()
            }
        for (name, isSet) in properties(of: events) where !others.contains(name) {
            #expect(isSet, "no sample of \(kind) sets \(name)")
        }
    }

    @Test(arguments: GoldenEvent.all) func `reads for ever as it was written`(_ golden: GoldenEvent) throws {
        let read = try EventCatalog.messaging.decode(
            type: golden.type,
            schemaVersion: golden.schemaVersion,
            content: StoredContent(
                payload: Array(golden.payload.utf8),
                personal: golden.personal.map { Array($0.utf8) }
            ),
            context: golden.context
        )
        #expect(read.isEqual(to: golden.event))
    }

    @Test(arguments: GoldenEvent.all.filter { $0.origin == .today })
    func `is written as it always was`(_ golden: GoldenEvent) throws {
        let event = golden.event
        #expect(golden.matches(event.kind), "today's program writes \(event.kind)")
        #expect(String(decoding: try event.encodePayload(), as: UTF8.self) == golden.payload)
        #expect(try event.encodePersonal().map { String(decoding: $0, as: UTF8.self) } == golden.personal)
    }

    @Test(arguments: GoldenEvent.all.filter { $0.personal != nil })
    func `has nothing personal in its payload`(_ golden: GoldenEvent) throws {
        for word in Self.words(in: try #require(golden.personal)) { #expect(!golden.payload.contains(word)) }
    }

    /// The words of personal content, which is JSON or a text itself. Ids are in the clear, and what is short may be in any
    /// other word.
    private static func words(in personal: String) -> [String] {
        func texts(_ value: Any) -> [String] {
            switch value {
            case let text as String: [text]
            case let values as [Any]: values.flatMap(texts)
            case let fields as [String: Any]: fields.values.flatMap(texts)
            default: []
            }
        }
        let value = try? JSONSerialization.jsonObject(with: Data(personal.utf8))
        let found = texts(value ?? personal).filter { UUID(uuidString: $0) == nil }
        return found.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map { String($0) } }
            .filter { $0.count > 2 || $0.count == 2 && $0.first?.isUppercase == true }
    }

    @Test func `is looked through for all that is personal`() {
        #expect(Self.words(in: "Hi, you at 7") == ["Hi", "you"])
        let id = "00000000-0000-4000-8000-000000000033"
        let files = #"{"files":[{"bytes":5,"id":"\#(id)","name":"Ada.ogg"}],"icon":null,"text":"L0"}"#
        #expect(Set(Self.words(in: files)) == ["Ada", "ogg", "L0"])
    }

    @Test func `of an older version is brought to the newest, step by step`() throws {
        let kinds = EventCatalog.messaging.kinds
        for (name, versions) in Dictionary(grouping: kinds, by: { [$0.category.rawValue, $0.type] }) {
            let sorted = versions.sorted { $0.schemaVersion < $1.schemaVersion }
            #expect(sorted.map(\.schemaVersion) == Array(1...sorted.count), "\(name) has all versions")
            #expect(sorted.dropLast().allSatisfy { $0.upcast != nil }, "\(name) has its upcasters")
            #expect(sorted.last?.upcast == nil)
            #expect(sorted.map(\.format) == sorted.map(\.format).sorted())
        }
    }

    @Test(arguments: [("messageSent", 2), ("messageEdited", 2), ("messageForgotten", 1), ("userErased", 1)])
    func `of an unknown kind is refused, not guessed`(_ type: String, _ schemaVersion: Int) {
        let golden = GoldenEvent.messageSent[0]
        #expect(throws: UnknownEvent(type: type, schemaVersion: schemaVersion)) {
            try EventCatalog.messaging.decode(
                type: type,
                schemaVersion: schemaVersion,
                content: StoredContent(payload: Array(golden.payload.utf8), personal: nil),
                context: golden.context
            )
        }
    }
}

extension GoldenEvent {
    func matches(_ kind: EventKind) -> Bool {
        kind.isNamed(type, version: schemaVersion, in: StreamCategory(rawValue: category))
    }
}

extension DomainEvent {
    fileprivate func isEqual(to other: any DomainEvent & Equatable) -> Bool {
        func compare<Other: DomainEvent & Equatable>(_ other: Other) -> Bool { self as? Other == other }
        return compare(other)
    }
}
