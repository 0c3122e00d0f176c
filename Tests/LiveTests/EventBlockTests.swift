import EventStore
import Foundation
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import Live

struct EventBlockTests {
    private let id = EventID(PositionVector([3, 7]), epoch: 9)

    @Test func `an event is one block with its id`() {
        let block = EventBlock(.ready, data: "{}".utf8)
        #expect(String(buffer: block.with(id)) == "id: \(id.text)\nevent: ready\ndata: {}\n\n")
        #expect(String(buffer: block.withoutID) == "event: ready\ndata: {}\n\n")
    }

    @Test func `texts with line breaks stay on one line of data`() throws {
        let text = "one\ntwo\r\nthree\u{2028}four"
        let event = StreamEvent.messageCreated(
            StreamEvent.MessageCreated(
                conversationId: WireID(),
                message: Message(
                    id: WireID(),
                    localId: WireID(),
                    conversationId: WireID(),
                    seq: 1,
                    senderId: WireID(),
                    text: text,
                    timestamp: .distantPast,
                    revision: 1
                ),
                sender: UserSummary(displayName: "A\nb", photoURL: nil)
            )
        )
        var client = SentEvents()
        client.feed(EventBlock(event).with(id))
        let received = try #require(client.events.first)
        guard case .messageCreated(let data) = try StreamEvent(name: received.name, data: Data(received.data.utf8))
        else {
            Issue.record("not a message")
            return
        }
        #expect(data.message.text == text)
        #expect(data.sender.displayName == "A\nb")
    }

    @Test func `a heartbeat is a comment and an id that raises no event`() {
        var client = SentEvents()
        client.feed(HubBlocks.heartbeat(id))
        #expect(client.events.isEmpty)
        #expect(client.comments == 1)
        #expect(client.lastID == id.text)
    }

    @Test func `an id reads back as the cursor of its vector`() throws {
        let epoch = Epoch(generation: 3, id: 9, heads: [0, 0])
        let cursor = try #require(Cursor(text: id.text))
        #expect(PositionVector(cursor, in: epoch) == PositionVector([3, 7]))
        #expect(PositionVector(cursor, in: Epoch(generation: 3, id: 8, heads: [0, 0])) == nil)
        #expect(PositionVector(cursor, in: Epoch(generation: 3, id: 9, heads: [0, 0, 0])) == nil)
        #expect(PositionVector(Cursor(epoch: 9, positions: [1: 5]), in: epoch) == nil)
    }
}
