import Foundation
import Testing

@testable import parley_load

struct EventParserTests {
    private func parse(_ text: String, pieces: Int = .max) throws -> (events: [ServerSentEvent], id: String) {
        var parser = EventParser()
        var events: [ServerSentEvent] = []
        var rest = ArraySlice(text.utf8)
        while !rest.isEmpty {
            events += try parser.feed(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        return (events, parser.lastEventID)
    }

    @Test(arguments: [1, 2, 3, 7, .max])
    func `events are the same however the bytes are cut`(pieces: Int) throws {
        let text = "retry: 1500\n\nid: a\nevent: hello\ndata: {\"x\":1}\n\n: beat\n\nid: b\n\ndata: é\ndata: ü\n\n"
        let (events, id) = try parse(text, pieces: pieces)
        #expect(events.map(\.name) == ["hello", "message"])
        #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == ["{\"x\":1}", "é\nü"])
        #expect(events.map(\.lastEventID) == ["a", "b"])
        #expect(events.map(\.hasOwnID) == [true, false])
        #expect(id == "b")
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `lines end in three ways`(end: String) throws {
        let text = ["event: a", "data: 1", "", "event: b", "data: 2", "", ""].joined(separator: end)
        for pieces in [1, .max] {
            #expect(try parse(text, pieces: pieces).events.map(\.name) == ["a", "b"])
        }
    }

    @Test func `a block without data is no event, but its id counts`() throws {
        let (events, id) = try parse("event: x\nid: 7\n\n")
        #expect(events.isEmpty)
        #expect(id == "7")
    }

    @Test func `the id counts only once its block is finished`() throws {
        #expect(try parse("id: 1\ndata: a\n\nid: 2\ndata: half").id == "1")
    }

    @Test func `an empty id clears, one with NUL is ignored`() throws {
        #expect(try parse("id: 1\n\nid\n\n").id == "")
        #expect(try parse("id: 1\n\nid: 2\u{0}\n\n").id == "1")
    }

    @Test func `a mark of byte order, blanks and unknown fields do no harm`() throws {
        let (events, _) = try parse("\u{FEFF}data:  two blanks\nfoo: bar\ndata\n\n")
        #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == [" two blanks\n"])
    }

    @Test func `an event without end is given up`() {
        #expect(throws: EventParser.TooLarge.self) {
            var parser = EventParser()
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            for _ in 0..<20 { _ = try parser.feed(piece) }
        }
    }
}
