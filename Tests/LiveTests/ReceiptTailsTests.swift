import EventSourcing
import Foundation
import Messaging
import ReadModels
import Testing

@testable import Live

/// Whom a receipt concerns, as far as memory knows.
struct ReceiptTailsTests {
    private let room = UUID(), ada = UUID(), ben = UUID(), eve = UUID()

    private func mark(_ person: UUID, _ delivered: Int64, _ read: Int64) -> ReceiptsAdvanced.Mark {
        ReceiptsAdvanced.Mark(person: person, deliveredSeq: delivered, readSeq: read)
    }

    private func concerned(_ mark: ReceiptsAdvanced.Mark, _ tails: ReceiptTails) -> Set<UUID>? {
        tails.authors(coveredBy: mark, in: room).map { $0.delivered.union($0.read) }
    }

    private func expect(_ tails: inout ReceiptTails, _ mark: ReceiptsAdvanced.Mark, _ authors: Set<UUID>?) {
        let found = concerned(mark, tails)
        tails.advance(mark, in: room)
        #expect(found == authors)
    }

    @Test func `a receipt concerns the authors of what it newly covers`() {
        var tails = ReceiptTails()
        tails.joined(eve, at: 0, in: room)
        for (seq, sender) in [ada, ben, eve, ada].enumerated() { tails.sent(Int64(seq) + 1, by: sender, in: room) }
        expect(&tails, mark(eve, 1, 0), [ada])
        expect(&tails, mark(eve, 3, 1), [ada, ben])
        expect(&tails, mark(eve, 3, 1), [])
        expect(&tails, mark(eve, 2, 0), [])
        expect(&tails, mark(eve, 4, 4), [ada, ben])
    }

    @Test func `what is newly received is told from what is newly read`() {
        var tails = ReceiptTails()
        tails.joined(eve, at: 0, in: room)
        for (seq, sender) in [ada, ben].enumerated() { tails.sent(Int64(seq) + 1, by: sender, in: room) }
        let first = tails.authors(coveredBy: mark(eve, 2, 1), in: room)
        #expect(first == CoveredAuthors(delivered: [ada, ben], read: [ada]))
        tails.advance(mark(eve, 2, 1), in: room)
        let second = tails.authors(coveredBy: mark(eve, 2, 2), in: room)
        #expect(second == CoveredAuthors(delivered: [], read: [ben]))
    }

    @Test func `what memory does not reach is unknown`() {
        var tails = ReceiptTails()
        tails.sent(57, by: ada, in: room)
        expect(&tails, mark(eve, 57, 57), nil)
        tails.sent(58, by: ben, in: room)
        expect(&tails, mark(eve, 58, 57), [ben])
        // A gap: the tail begins anew.
        tails.sent(70, by: ada, in: room)
        expect(&tails, mark(eve, 70, 70), nil)
    }

    @Test func `memory is bounded`() {
        var tails = ReceiptTails(capacity: 100, maxSenders: 4)
        tails.joined(eve, at: 0, in: room)
        for seq in 1...20 { tails.sent(Int64(seq), by: ada, in: room) }
        expect(&tails, mark(eve, 20, 20), nil)
        expect(&tails, mark(eve, 20, 20), [])
        for _ in 0..<200 { tails.joined(ada, at: 0, in: UUID()) }
        expect(&tails, mark(eve, 20, 20), nil)
    }

    // MARK: By what was passed on

    private func announcement(_ event: ConversationEvent) throws -> Announcement {
        try #require(
            Announcement(
                of: RecordedEvent(
                    partition: 0,
                    position: 1,
                    stream: StreamID(.conversation, room),
                    version: 1,
                    commandID: UUID(),
                    ordinal: 0,
                    actor: ada,
                    correlationID: nil,
                    causationID: nil,
                    recordedAt: Date(),
                    body: .event(event),
                    size: 0
                )
            )
        )
    }

    private func sent(_ seq: Int64, by sender: UUID) -> ConversationEvent {
        .messageSent(
            MessageSent(
                messageID: UUID(),
                sender: sender,
                seq: seq,
                text: "hello",
                replyTo: nil,
                mentions: [],
                clientTimestamp: nil,
                recipientCount: 2
            )
        )
    }

    private func joined(_ person: UUID, at headSeq: Int64) -> ConversationEvent {
        .participantAdded(ParticipantAdded(person: person, role: .member, headSeq: headSeq))
    }

    @Test func `who has left is forgotten, and begins anew with coming back`() throws {
        var tails = ReceiptTails()
        for event in [joined(ben, at: 0), sent(1, by: ada)] { tails.note(try announcement(event)) }
        #expect(concerned(mark(ben, 1, 1), tails) == [ada])
        tails.note(try announcement(.participantRemoved(ParticipantRemoved(person: ben, headSeq: 1))))
        #expect(concerned(mark(ben, 1, 1), tails) == nil)
        for event in [sent(2, by: ada), joined(ben, at: 2), sent(3, by: eve)] { tails.note(try announcement(event)) }
        #expect(concerned(mark(ben, 3, 3), tails) == [eve])
    }
}
