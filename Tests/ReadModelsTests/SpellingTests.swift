import Testing

@testable import ReadModels

@Suite struct SpellingTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("jhon", "john", 1), ("ca", "abc", 3),
        ("grace", "grace", 0), ("grcae", "grace", 1), ("straße", "strasse", 2),
    ])
    func `a distance counts insertions, omissions, changes and swaps`(first: String, second: String, distance: Int) {
        #expect(Spelling.distance(first, second) == distance)
        #expect(Spelling.distance(second, first) == distance)
    }

    @Test func `each word asked for is a word of the name or begins one`() {
        #expect(Spelling.mistakes(in: ["grac", "hop"], for: ["grace", "hopper"]) == 0)
        #expect(Spelling.mistakes(in: ["hoper", "grace"], for: ["grace", "hopper"]) == 1)
        #expect(Spelling.mistakes(in: ["gr", "zz"], for: ["grace", "hopper"]) == nil)
        #expect(Spelling.mistakes(in: [], for: ["grace"]) == 0)
        #expect(Spelling.mistakes(in: ["grace"], for: []) == nil)
    }
}
