import EventStore
import Foundation
import Testing

@Suite struct CursorTests {
    @Test(arguments: [
        Cursor(epoch: 0, all: []), Cursor(epoch: .max, all: [0, 1, 127, 128, .max]),
        Cursor(epoch: 42, positions: [7: 12_345]), Cursor(epoch: 1, positions: [0: 5]),
        Cursor(epoch: 1, all: Array(repeating: 1 << 40, count: 256)),
    ])
    func `a cursor reads as it was written`(_ cursor: Cursor) {
        #expect(Cursor(text: cursor.text) == cursor)
    }

    @Test(arguments: [
        "", "a", "AAAA", "!!!!", "\u{0}", "é", String(repeating: "A", count: 9_000), "AQAAAAAAAAAA////////////////",
        "AwAAAAAAAAABAA", String(repeating: "_", count: 400),
    ])
    func `what is no cursor is refused`(_ text: String) {
        #expect(Cursor(text: text) == nil)
    }

    @Test func `random bytes never trap`() {
        var generator = SystemRandomNumberGenerator()
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            for form: UInt8 in [1, 2] { _ = Cursor(text: Data([form] + bytes).base64EncodedString()) }
        }
    }

    @Test func `only a cursor of all partitions resumes a stream`() {
        #expect(Cursor(epoch: 1, all: [4, 5]).all(partitions: 2) == [4, 5])
        #expect(Cursor(epoch: 1, all: [4, 5]).all(partitions: 3) == nil)
        #expect(Cursor(epoch: 1, positions: [1: 5]).all(partitions: 2) == nil)
    }
}
