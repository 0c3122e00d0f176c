import Foundation
import Testing

@testable import ReadModels

/// What counts as a word, and where it is.
@Suite struct SearchWordsTests {
    @Test(arguments: [
        ("See you at 7, Ada!", ["see", "you", "at", "7", "ada"]),
        ("Crème brûlée — ÇA VA", ["creme", "brulee", "ca", "va"]),
        ("ｆｕｌｌ width", ["full", "width"]),
        ("don't e-mail a@b.org", ["don", "t", "e", "mail", "a", "b", "org"]),
        ("Straße ΣΊΣΥΦΟΣ Ёлка", ["strasse", "σισυφοσ", "елка"]),
        ("👍🏽 🎉 … —", []),
        ("我们明天见 ok", ["我们明天见", "ok"]),
        ("", []),
    ])
    func `words are runs of letters and digits, small and without accents`(text: String, words: [String]) {
        #expect(SearchWords.words(of: text) == words)
    }

    @Test func `a word's place is counted in Unicode scalars of the text as it was sent`() {
        // Of an emoji with a skin colour two, of an e with a combining accent two.
        let text = "👍🏽 cafe\u{301}s, café"
        let places = SearchWords.places(in: text)
        #expect(places.map(\.word) == ["cafes", "cafe"])
        let scalars = Array(text.unicodeScalars)
        let shown = places.map { place in
            String(String.UnicodeScalarView(scalars[place.scalars]))
        }
        #expect(shown == ["cafe\u{301}s", "café"])
    }

    @Test func `a word that never ends is cut, the same in texts and in what is asked`() {
        let long = String(repeating: "a", count: 10_000)
        #expect(SearchWords.words(of: long) == [String(repeating: "a", count: 64)])
        #expect(SearchWords.words(of: long + "b") == SearchWords.words(of: long))
    }

    // MARK: Matching

    private func matcher(_ text: String) -> SearchMatcher {
        SearchMatcher(
            request: SearchRequest(text: text),
            caller: UUID(),
            terms: SearchTerm.terms(of: text, in: Lexemes.simple)
        )
    }

    @Test func `all words must be there, and the nearer they stand the better`() throws {
        let matcher = matcher("red car")
        #expect(matcher.match("a red house", .simple) == nil)
        let near = try #require(matcher.match("my red car", .simple))
        let turned = try #require(matcher.match("a car that is red", .simple))
        let far = try #require(matcher.match("red is a colour that I would not want for any car", .simple))
        #expect(near.fitness == 1 && near.fitness > turned.fitness && turned.fitness > far.fitness && far.fitness > 0)
        #expect(near.isExact && near.highlights == [3..<6, 7..<10])
    }

    @Test func `of the same, the newer is the better`() throws {
        let matcher = matcher("red")
        let match = try #require(matcher.match("red", .simple))
        let now = Date()
        let scores = [0, 1, 30, 400, 100_000].map {
            matcher.score(match, sentAt: now.addingTimeInterval(-86_400 * Double($0)), asOf: now)
        }
        #expect(scores == scores.sorted(by: >) && Set(scores).count == scores.count)
        #expect(scores.first == 1 && scores[2] == 0.5)
        // A clock that is behind does no harm.
        #expect(matcher.score(match, sentAt: now.addingTimeInterval(1_000), asOf: now) == 1)
    }

    @Test func `a word is like those that have it in them, and those that are spelled much like it`() {
        func term(_ word: String) -> SearchTerm { SearchTerm(word: word, exact: [word]) }
        #expect(term("phone").isContained(in: "telephones"))
        #expect(term("te").isContained(in: "telephones") && !term("el").isContained(in: "telephones"))
        #expect(!term("t").isContained(in: "telephones"))
        #expect(term("天").isContained(in: "我们明天见"))
        #expect(term("tommorow").isSpelled(like: "tomorrow"))
        #expect(term("teh").isSpelled(like: "the"))
        #expect(!term("on").isSpelled(like: "in") && !term("house").isSpelled(like: "mouse trap"))
    }

    // MARK: Cursors

    @Test func `a cursor is read as it was written, and others are refused`() throws {
        var cursor = SearchCursor(begunAt: Date(timeIntervalSince1970: 1_700_000_000))
        #expect(try SearchCursor(text: cursor.text).text == cursor.text)
        let chunk = SearchChunk(conversation: UUID(), number: 7)
        cursor.pass = .similar
        cursor.block = SearchPlace(firstAt: Date(timeIntervalSince1970: 1_600_000_000), chunk: chunk)
        #expect(try SearchCursor(text: cursor.text).text == cursor.text)
        cursor.last = SearchRank(score: 0.123, conversation: UUID(), seq: 240)
        let read = try SearchCursor(text: cursor.text)
        #expect(read.text == cursor.text && read.last == cursor.last && read.block?.chunk == chunk)
        #expect(read.pass == .similar && read.begunAt == cursor.begunAt)
        for bad in ["", "AAAA", "CwAAAAAAAAAA", cursor.text + "AAAA", String(cursor.text.dropLast(4))] {
            #expect(throws: BadCursor.self) { _ = try SearchCursor(text: bad) }
        }
        for number in [-1, Int64.max] {
            let text = PageCursor(.search).appending(0).appending(Date()).appending(Date()).appending(UUID())
                .appending(number).text
            #expect(throws: BadCursor.self) { _ = try SearchCursor(text: text) }
        }
    }
}

extension Lexemes {
    /// Of a language in which each word counts as itself.
    static let simple = Lexemes()
}
