import ParleyWire
import Testing

@testable import parley_load

/// Each test spoils what a good search finds in one way.
struct SearchCheckTests {
    private static let expected = {
        var expected = Samples.conversation()
        expected.sent([
            Samples.sent(1, by: Samples.ann, text: "Apples, please"),
            Samples.sent(2, by: Samples.bob, text: "no apples!"),
            Samples.sent(3, by: Samples.cyd, text: "apples for all"), Samples.sent(4, by: Samples.bob, text: "pears"),
        ])
        expected.change(Samples.id(1001)) { $0.edit("Apples, please (edit 1)") }
        expected.change(Samples.id(1003)) { $0.delete(by: Samples.ann) }
        return expected
    }()

    private let check = SearchCheck(expected: expected, word: "apples")

    private func differences(_ spoil: (inout [Message]) -> Void) -> [String] {
        var found = Self.expected.messages.prefix(2).map { Samples.shown($0, to: Samples.ann, in: Self.expected) }
        spoil(&found)
        return check.differences(of: found.map { SearchResult(message: $0, highlights: []) })
    }

    @Test func `what has the word is found, and more may be`() {
        #expect(differences { _ in }.isEmpty)
        let pears = Samples.shown(Self.expected.messages[3], to: Samples.ann, in: Self.expected)
        #expect(differences { $0.append(pears) }.isEmpty)
    }

    @Test func `each mistake is told`() {
        let deleted = Samples.shown(Self.expected.messages[2], to: Samples.ann, in: Self.expected)
        #expect(differences { $0.removeLast() } == ["seq 2 is not found"])
        #expect(differences { $0.append($0[0]) } == ["\(Samples.id(1001)) is found 2 times"])
        #expect(differences { $0.append(deleted) } == ["seq 3 is found, though deleted"])
        #expect(differences { $0[0].text = "Apples, please" } == ["seq 1 is found with other words"])
        #expect(
            differences { $0[1].conversationId = Samples.id(101) }
                == ["\(Samples.id(1002)) is found, though nobody sent it here"]
        )
        #expect(differences { $0[1].id = Samples.id(9999) }.count == 2)
    }

    @Test func `words are long and plain`() {
        #expect(SearchCheck.words(of: "An apple, 4711 and caf\u{E9}s: APPLE!") == ["apple", "4711"])
        #expect(SearchCheck.words(of: nil).isEmpty)
    }
}
