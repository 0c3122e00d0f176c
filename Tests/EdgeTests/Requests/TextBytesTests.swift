import TestSupport
import Testing

@testable import Edge

/// Which bytes are a text.
@Suite struct TextBytesTests {
    @Test(arguments: 1...10) func `bytes are the text that they are in UTF-8, or none`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("Z9 ~".utf8), [0], [0x7F], Array("é".utf8), Array("今".utf8), Array("👍🏽".utf8),
            Array("\u{FFFD}".utf8),
            // Broken: bytes that go on with nothing, that are cut, written longer than need be, and a surrogate.
            [0x80], [0xC3], [0xE4, 0xBB], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ]
        for _ in 0..<500 {
            // Most are texts.
            let choice = Int.random(in: 0...1, using: &random) == 0 ? pieces : Array(pieces.prefix(8))
            let count = Int.random(in: 0...6, using: &random)
            let bytes = (0..<count).flatMap { _ in choice.randomElement(using: &random) ?? [] }
            let expected = String(validating: bytes, as: UTF8.self)
            let text = String(utf8: bytes[...])
            #expect(text.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(bytes)")
        }
    }
}
