import EventSourcing
import Foundation
import Messaging
import ParleyWire
import ReadModels
import Testing

@testable import Live

/// What each person is told of an announcement, without a database.
struct AnnouncementTests {
    private let ada = UUID(), ben = UUID(), eve = UUID(), room = UUID()
    private let time = Date(timeIntervalSince1970: 1_700_000_000)

    private func announcement(_ event: ConversationEvent) throws -> Announcement {
        let record = RecordedEvent(
            partition: 1,
            position: 7,
            stream: StreamID(.conversation, room),
            version: 3,
            commandID: UUID(),
            ordinal: 0,
            actor: ada,
            correlationID: nil,
            causationID: nil,
            recordedAt: time,
            body: .event(event),
            size: 0
        )
        return try #require(Announcement(of: record))
    }

    private func sent(replyTo: MessageReference? = nil) -> MessageSent {
        MessageSent(
            messageID: UUID(),
            sender: ada,
            seq: 4,
            text: "hello",
            replyTo: replyTo,
            mentions: [],
            clientTimestamp: nil,
            recipientCount: 2
        )
    }

    private func facts(of sent: MessageSent, quote: ReplyTo? = nil, hiddenFrom: Set<UUID> = []) -> Facts {
        var facts = Facts()
        facts.messages[7] = Facts.SentMessage(
            message: Message(sent, at: time, position: 7, in: room, replyTo: quote),
            quoteHiddenFrom: hiddenFrom
        )
        facts.names[WireID(ada)] = UserSummary(displayName: "Ada", photoURL: nil)
        return facts
    }

    private func message(_ event: StreamEvent?) throws -> Message {
        guard case .messageCreated(let created) = try #require(event) else {
            throw WrongEvent()
        }
        return created.message
    }

    private struct WrongEvent: Error {}

    @Test func `how far a message has come is told to its sender alone`() throws {
        let sent = sent()
        let announcement = try announcement(.messageSent(sent))
        let facts = facts(of: sent)
        #expect(try message(announcement.event(for: ada, given: facts)).recipientCount == 2)
        #expect(try message(announcement.event(for: ben, given: facts)).recipientCount == nil)
        let versions = announcement.versions(for: [ada, ben, eve], given: facts)
        #expect(versions.version(for: ben) == versions.version(for: eve))
        #expect(versions.version(for: ben) != versions.version(for: ada))
    }

    @Test func `who may not see what is answered gets the answer without it`() throws {
        let sent = sent(replyTo: MessageReference(id: UUID(), seq: 1))
        let quote = ReplyTo(id: WireID(UUID()), seq: 1, senderId: WireID(ben), text: "long ago")
        let announcement = try announcement(.messageSent(sent))
        let facts = facts(of: sent, quote: quote, hiddenFrom: [eve])
        #expect(try message(announcement.event(for: ben, given: facts)).replyTo?.text == "long ago")
        let hidden = try message(announcement.event(for: eve, given: facts))
        #expect(hidden.text == "hello" && hidden.replyTo?.seq == 1 && hidden.replyTo?.text == nil)
    }

    @Test func `nobody gets the text of somebody who is erased`() throws {
        let sent = sent(replyTo: MessageReference(id: UUID(), seq: 1))
        let quote = ReplyTo(id: WireID(UUID()), seq: 1, senderId: WireID(ben), text: "long ago")
        let announcement = try announcement(.messageSent(sent))
        var facts = facts(of: sent, quote: quote)
        facts.names[WireID(ben)] = UserSummary(displayName: nil, photoURL: nil, erased: true)
        #expect(try message(announcement.event(for: eve, given: facts)).replyTo?.text == nil)
        facts.names[WireID(ada)] = UserSummary(displayName: nil, photoURL: nil, erased: true)
        for person in [ada, eve] { #expect(try message(announcement.event(for: person, given: facts)).text == nil) }
    }

    @Test func `a receipt is told to its reader and the authors, what was read in private to the reader`() throws {
        let mark = ReceiptsAdvanced.Mark(person: eve, deliveredSeq: 5, readSeq: 5, publicReadSeq: 2)
        let announcement = try announcement(.receiptsAdvanced(ReceiptsAdvanced(marks: [mark])))
        #expect(announcement.audience(given: Facts()) == .members(of: room))
        var facts = Facts()
        facts.authors[7] = [CoveredAuthors(delivered: [ada], read: [ada])]
        #expect(announcement.audience(given: facts) == .someMembers([ada, eve], of: room))
        func readSeq(_ person: UUID) -> Int64? {
            guard case .receiptUpdated(let update) = announcement.event(for: person, given: facts) else { return nil }
            return update.receipts.first?.readSeq
        }
        #expect(readSeq(eve) == 5)
        #expect(readSeq(ada) == 2)
        #expect(readSeq(ben) == nil)
    }

    @Test func `who hides the own reading is told what others have received, and not what or when they read`() throws {
        let mark = ReceiptsAdvanced.Mark(person: eve, deliveredSeq: 5, readSeq: 5)
        let announcement = try announcement(.receiptsAdvanced(ReceiptsAdvanced(marks: [mark])))
        var facts = Facts()
        facts.authors[7] = [CoveredAuthors(delivered: [ada, ben], read: [ada, ben])]
        facts.withoutReading = [ada]
        func marks(_ person: UUID) -> [[Int64]]? {
            guard case .receiptUpdated(let update) = announcement.event(for: person, given: facts) else { return nil }
            return update.receipts.map { [$0.deliveredSeq, $0.readSeq] }
        }
        #expect(marks(ada) == [[5, 0]])
        #expect(marks(ben) == [[5, 5]])
        let versions = announcement.versions(for: [ada, ben], given: facts)
        #expect(versions.version(for: ada) != versions.version(for: ben))
        facts.authors[7] = [CoveredAuthors(delivered: [], read: [ada, ben])]
        #expect(marks(ada) == nil)
        #expect(marks(ben) == [[5, 5]])
        #expect(announcement.audience(given: facts) == .someMembers([ben, eve], of: room))
        facts.withoutReading = [eve]
        #expect(marks(eve) == [[5, 5]])
    }

    @Test func `who is added or leaves is told something else than the others`() throws {
        let removed = try announcement(.participantRemoved(ParticipantRemoved(person: ben, headSeq: 3)))
        guard case .conversationRemoved = removed.event(for: ben, given: Facts()) else {
            Issue.record("the one who left is not told so")
            return
        }
        #expect(removed.event(for: eve, given: Facts()) == nil)
        #expect(removed.membership == .left(conversation: room, person: ben))
        #expect(removed.unread == .people([ben], of: room))
        let added = try announcement(.participantAdded(ParticipantAdded(person: ben, role: .member, headSeq: 3)))
        #expect(added.membership == .joined(conversation: room, people: [ben], headSeq: 3))
        #expect(added.versions(for: [ben, eve], given: Facts()).version(for: ben) == .own(ben))
        #expect(added.versions(for: [ben, eve], given: Facts()).version(for: eve) == .common)
    }

    /// What the history of the room says of the event at 7, Ada's doing.
    private func systemMessage(_ id: UUID?, changes: JSONValue = .object([:])) throws -> Message {
        Message(
            id: WireID(try #require(id)),
            localId: WireID(try #require(id)),
            conversationId: WireID(room),
            seq: nil,
            senderId: WireID(ada),
            kind: .system,
            text: nil,
            data: .object(["changes": changes]),
            timestamp: time,
            revision: 7
        )
    }

    @Test func `what a history tells comes behind the event, and before the end of a conversation`() throws {
        let removed = try announcement(.participantRemoved(ParticipantRemoved(person: ben, headSeq: 3)))
        var facts = Facts()
        facts.systemMessages[7] = try systemMessage(removed.systemMessage)
        let participant = Participant(
            userId: WireID(ben),
            displayName: "Ben",
            role: .member,
            joinedAt: time,
            revision: 1
        )
        facts.participants[room] = [ben: participant]
        func names(_ person: UUID) -> [String] { removed.events(for: person, given: facts).map(\.name) }
        #expect(names(eve) == ["participant.removed", "message.created"])
        #expect(names(ben) == ["message.created", "conversation.removed"])
        let sent = sent()
        #expect(try announcement(.messageSent(sent)).systemMessage == nil)
        #expect(try announcement(.messageSent(sent)).events(for: ben, given: self.facts(of: sent)).count == 1)
    }

    @Test func `who may not see a pinned message is told of the pin alone`() throws {
        let sent = sent()
        let pinned = try announcement(.messagePinned(PinChanged(messageID: sent.messageID, seq: 4, in: .group)))
        var facts = facts(of: sent)
        facts.messages[7]?.hiddenFrom = [eve]
        facts.systemMessages[7] = try systemMessage(pinned.systemMessage)
        func names(_ person: UUID) -> [String] { pinned.events(for: person, given: facts).map(\.name) }
        #expect(names(ben) == ["message.updated", "message.created"])
        #expect(names(eve) == ["message.created"])
        let direct = PinChanged(messageID: sent.messageID, seq: 4, in: .direct)
        #expect(try announcement(.messagePinned(direct)).systemMessage == nil)
    }

    @Test func `nobody gets the name that an erased person gave a group`() throws {
        let renamed = try announcement(.groupChanged(GroupChanged(name: .set("Engines"), joinPolicy: .open)))
        var facts = Facts()
        let changes = JSONValue.object(["groupName": .string("Engines"), "joinPolicy": .string("open")])
        facts.systemMessages[7] = try systemMessage(renamed.systemMessage, changes: changes)
        #expect(facts.quoted == [ada])
        let before = try message(renamed.events(for: eve, given: facts).last)
        #expect(before.data == .object(["changes": changes]))
        facts.names[WireID(ada)] = UserSummary(displayName: nil, photoURL: nil, erased: true)
        let after = try message(renamed.events(for: eve, given: facts).last)
        #expect(after.data == .object(["changes": .object(["groupName": .null, "joinPolicy": .string("open")])]))
    }

    @Test func `an event that is not understood announces nothing`() {
        let unknown = UnknownEvent(type: "pollOpened", schemaVersion: 1)
        for body in [RecordedEvent.Body.unknown(unknown), .undecodable(type: "messageSent", reason: "")] {
            let record = RecordedEvent(
                partition: 1,
                position: 7,
                stream: StreamID(.conversation, room),
                version: 3,
                commandID: UUID(),
                ordinal: 0,
                actor: nil,
                correlationID: nil,
                causationID: nil,
                recordedAt: time,
                body: body,
                size: 0
            )
            #expect(Announcement(of: record) == nil)
        }
    }
}
