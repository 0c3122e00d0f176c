import EventSourcing
import Foundation
import Messaging
import Testing

@Suite struct EventCodingTests {
    static let events: [any DomainEvent & Equatable] = [
        ConversationEvent.started(
            ConversationStarted(
                kind: .group,
                members: [.init(id: ada, role: .owner), .init(id: grace, role: .member)],
                joinPolicy: .open,
                historyVisibility: .joined,
                name: "Trip \u{1F3D4}",
                icon: "icon"
            )
        ),
        ConversationEvent.participantAdded(ParticipantAdded(person: ada, role: .admin, headSeq: 7)),
        ConversationEvent.participantRemoved(ParticipantRemoved(person: ada, headSeq: 7)),
        ConversationEvent.roleChanged(RoleChanged(person: ada, role: .owner)),
        ConversationEvent.groupChanged(GroupChanged(name: .set("x"), icon: .cleared, joinPolicy: .open)),
        ConversationEvent.groupChanged(GroupChanged(historyVisibility: .joined)),
        ConversationEvent.messageSent(
            MessageSent(
                messageID: person(50),
                sender: ada,
                seq: 12,
                text: "See you \u{202E}at 7",
                replyTo: MessageReference(id: person(49), seq: 11),
                mentions: [grace],
                clientTimestamp: Date(timeIntervalSince1970: 1_700_000_000.123),
                recipientCount: 3
            )
        ),
        ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 7)),
        ConversationEvent.receiptsAdvanced(
            ReceiptsAdvanced(marks: [.init(person: ada, deliveredSeq: 3, readSeq: 2)])
        ),
        UserEvent.registered(displayName: "Ada"),
        UserEvent.registered(displayName: nil),
        UserEvent.erased,
        UserEvent.deactivated,
        UserEvent.reactivated,
        UserEvent.profileChanged(ProfileChange(displayName: "Ada L.", photoURL: .cleared, timeZone: .set("UTC"))),
    ]

    @Test func `a message's payload has the bytes that were always written`() throws {
        func payload(_ sent: MessageSent) throws -> String {
            String(decoding: try ConversationEvent.messageSent(sent).encodePayload(), as: UTF8.self)
        }
        #expect(
            try payload(MessageSent(messageID: person(50), sender: ada, seq: 1, text: "Hi", recipientCount: 2))
                == #"{"recipientCount":2,"seq":1}"#
        )
        let full = MessageSent(
            messageID: person(50),
            sender: ada,
            seq: 12,
            text: "Hi",
            replyTo: MessageReference(id: person(49), seq: 11),
            mentions: [grace, ada],
            clientTimestamp: Date(timeIntervalSince1970: 1_700_000_000.5),
            recipientCount: 3
        )
        #expect(
            try payload(full) == #"{"clientTimestamp":1700000000500,"mentions":["\#(grace.uuidString)","#
                + #""\#(ada.uuidString)"],"recipientCount":3,"replyTo":{"id":"\#(person(49).uuidString)","seq":11},"#
                + #""seq":12}"#
        )
        // So does JSONEncoder, which wrote the older messages.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .millisecondsSince1970
        let time = try encoder.encode([Date(timeIntervalSince1970: 1_700_000_000.5)])
        #expect(String(decoding: time, as: UTF8.self) == "[1700000000500]")
    }

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
        let event = ConversationEvent.messageSent(
            MessageSent(messageID: person(50), sender: ada, seq: 1, text: nil, recipientCount: 1)
        )
        let read = try ConversationEvent(
            type: "messageSent",
            schemaVersion: 1,
            payload: Array(payload.utf8),
            personal: nil,
            context: context(event)
        )
        guard case .messageSent(let sent) = read else { throw UndecodableEvent(type: "messageSent", schemaVersion: 1) }
        #expect(sent.seq == expected.seq)
        #expect(sent.recipientCount == expected.recipientCount)
        #expect(sent.clientTimestamp == expected.clientTimestamp.map { Date(timeIntervalSince1970: $0 / 1_000) })
    }

    @Test(arguments: events.indices) func `an event reads as it was stored`(_ index: Int) throws {
        let event = Self.events[index]
        func roundTrip<E: DomainEvent & Equatable>(_ event: E) throws {
            let stored = try E(
                type: event.type,
                schemaVersion: event.schemaVersion,
                payload: event.encodePayload(),
                personal: event.encodePersonal(),
                context: context(event)
            )
            #expect(stored == event)
        }
        try roundTrip(event)
    }

    @Test func `payloads hold nothing personal`() throws {
        for event in Self.events {
            let payload = String(decoding: try event.encodePayload(), as: UTF8.self)
            for word in ["Trip", "icon\"", "See you", "Ada", "UTC"] { #expect(!payload.contains(word)) }
        }
    }

    @Test func `without its key an event reads as erased`() throws {
        let event = ConversationEvent.messageSent(
            MessageSent(messageID: person(50), sender: ada, seq: 1, text: "secret", recipientCount: 0)
        )
        let erased = try ConversationEvent(
            type: event.type,
            schemaVersion: 1,
            payload: event.encodePayload(),
            personal: nil,
            context: context(event)
        )
        guard case .messageSent(let sent) = erased else {
            Issue.record("another event came back")
            return
        }
        #expect(sent.text == nil)
        #expect(sent.seq == 1)
    }

    @Test func `without its key a change of a group still tells what was set`() throws {
        func erased(_ changed: GroupChanged) throws -> GroupChanged? {
            let event = ConversationEvent.groupChanged(changed)
            let read = try ConversationEvent(
                type: event.type,
                schemaVersion: event.schemaVersion,
                payload: event.encodePayload(),
                personal: nil,
                context: context(event)
            )
            guard case .groupChanged(let changed) = read else { return nil }
            return changed
        }
        #expect(try erased(GroupChanged(name: .set("secret"))) == GroupChanged(name: .cleared))
        #expect(try erased(GroupChanged(icon: .set("secret"))) == GroupChanged(icon: .cleared))
        #expect(try erased(GroupChanged(joinPolicy: .open)) == GroupChanged(joinPolicy: .open))
    }

    @Test(arguments: [(#"{}"#, Change<String>.cleared), (#"{"joinPolicy":"open"}"#, .unchanged)])
    func `a change of version 1 without its key is guessed from what else it set`(
        _ payload: String,
        _ name: Change<String>
    ) throws {
        let read = try ConversationEvent(
            type: "groupChanged",
            schemaVersion: 1,
            payload: Array(payload.utf8),
            personal: nil,
            context: context(ConversationEvent.groupChanged(GroupChanged()))
        )
        guard case .groupChanged(let changed) = read else {
            Issue.record("another event came back")
            return
        }
        #expect(changed.name == name)
    }

    @Test func `an unknown type is refused, not guessed`() {
        #expect(throws: UnknownEvent(type: "messageSent", schemaVersion: 2)) {
            try ConversationEvent(
                type: "messageSent",
                schemaVersion: 2,
                payload: [],
                personal: nil,
                context: context(UserEvent.registered(displayName: nil))
            )
        }
    }

    @Test func `both sides derive the same direct conversation, of version 8`() {
        let id = DerivedID.directConversation(ada, grace)
        #expect(id == DerivedID.directConversation(grace, ada))
        #expect(id != DerivedID.directConversation(ada, alan))
        #expect(id.uuid.6 >> 4 == 8)
    }

    private func context(_ event: any DomainEvent) -> DecodingContext {
        DecodingContext(
            stream: StreamID(event.category, person(77)),
            commandID: person(50),
            actor: ada,
            subject: event.subject,
            recordedAt: Date(timeIntervalSince1970: 0)
        )
    }
}
