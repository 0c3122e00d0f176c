import Foundation
import TestSupport
import Testing

@testable import ReadModels

/// What counts as a word, and where it is.
@Suite struct SearchWordsTests {
    @Test(arguments: [
        ("See you at 7, Ada!", ["see", "you", "at", "7", "ada"]),
        ("Crème brûlée — ÇA VA", ["creme", "brulee", "ca", "va"]),
        ("ｆｕｌｌ width, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ĳ ﬁne", ["full", "width", "unicode", "ij", "fine"]),
        ("don't e-mail a@b.org", ["don", "t", "e", "mail", "a", "b", "org"]),
        ("Straße ΣΊΣΥΦΟΣ Ёлка", ["strasse", "σισυφοσ", "елка"]),
        ("KIRMIZI kırmızı İstanbul", ["kirmizi", "kirmizi", "istanbul"]),
        ("مُحَمَّد עִבְרִית ٣٤٥", ["محمد", "עברית", "345"]),
        ("soft\u{AD}hyphen zero\u{200B}width", ["softhyphen", "zero", "width"]),
        ("हिन्दी 한국어 ガ", ["हिन्दी", "한국어", "ガ"]),
        ("👍🏽 🎉 ❤️ … —", []),
        ("明", ["明"]),
        ("我们明天见 ok", ["我们", "们明", "明天", "天见", "ok"]),
        ("iPhoneを買う", ["iphone", "を買", "買う"]),
        ("ｶﾞｲﾄﾞ", ["ガイ", "イド"]),
        ("ไปซื้อ", ["ไป", "ปซื้", "ซื้อ"]),
        ("", []),
    ])
    func `words are runs of letters and digits, small and without accents`(text: String, words: [String]) {
        #expect(SearchWords.words(asked: text) == words.map(\.precomposedStringWithCanonicalMapping))
        #expect(SearchWords.words(of: text).isSuperset(of: SearchWords.words(asked: text)))
    }

    @Test func `without spaces between them, whatever is asked for is found wherever it stands`() throws {
        let text = String(repeating: "今天", count: 40) + "北京烤鸭"
        for asked in ["北京烤鸭", "鸭", "京烤", "天北"] { #expect(matcher(asked).match(text, .simple) != nil) }
        #expect(matcher("鸭京").match(text, .simple) == nil)
        let match = try #require(matcher("北京烤鸭").match(text, .simple))
        #expect(match.highlights == [80..<84] && match.fitness > 0.5)
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
        // What is one letter to a reader may be 9,000 scalars: no lexeme of PostgreSQL is so long.
        for letter in ["か\u{3099}", "\u{1100}", "ก\u{0E33}", "क\u{0903}", "e\u{20DD}", "क्क"] {
            let marks = String(repeating: letter.dropFirst() + "", count: 1)
            let text = letter + String(repeating: marks.isEmpty ? letter : marks, count: 9_000)
            #expect(SearchWords.words(of: text).allSatisfy { $0.utf8.count < 2_046 })
        }
    }

    @Test(arguments: 1...20) func `words of ASCII are the same as of any other letters`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces: [String] = [
            "a", "Z", "q7", "0", "9", " ", "\n", "\u{0}", "\u{7F}", "@", "[", "`", "{", "/", ":", "-", "'", "\u{80}",
            "é", "e\u{301}", "\u{301}", "\u{AD}", "\u{200B}", "\u{200D}", "\u{A0}", "ß", "İ", "を", "今", "ｶﾞ", "ﾞ", "한",
            "ไ", "٣", "👍🏽", "👩‍👩‍👧", "\u{FFFD}", String(repeating: "Ab", count: 40),
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0...12, using: &random)
            let text = (0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined()
            var places: [SearchWords.Place] = []
            SearchWords.forEachPlaceOfRuns(in: text) { places.append($0) }
            #expect(SearchWords.places(in: text) == places, "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test func `letters that fold each for itself fold to the same as together`() {
        var random = SeededGenerator(seed: 7)
        let letters = [
            0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0xC0...0x6FF, 0x3041...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3,
        ].flatMap { range in
            stride(from: range.lowerBound, through: range.upperBound, by: range.count > 10_000 ? 61 : 1)
                .compactMap { Unicode.Scalar(UInt32($0)) }
        }
        for letter in letters { #expect(isSame([letter]), "\(letter.value)") }
        for _ in 0..<3_000 {
            let run = (0..<2 + random.below(7)).compactMap { _ in letters.randomElement(using: &random) }
            #expect(isSame(run), "\(run.map(\.value))")
        }
    }

    private func isSame(_ run: [Unicode.Scalar]) -> Bool {
        let each = SearchWords.foldedEach(run[...])
        // Others are folded together anyway.
        return each == nil || each.map { Array($0.utf8) } == Array(SearchWords.foldedTogether(run[...]).utf8)
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
        func has(_ lexeme: String, _ word: String) -> Bool {
            Array(lexeme.utf8).withUnsafeBytes { likeness(word).isContained(in: $0) }
        }
        func isSpelled(_ word: String, like lexeme: String) -> Bool {
            Array(lexeme.utf8).withUnsafeBytes { likeness(word).isSpelled(like: $0) }
        }
        func likeness(_ word: String) -> SearchLikeness { SearchLikeness(SearchTerm(word: word, exact: [word])) }
        #expect(has("telephones", "phone"))
        #expect(has("telephones", "te") && !has("telephones", "el"))
        #expect(!has("telephones", "t"))
        #expect(isSpelled("tommorow", like: "tomorrow"))
        #expect(isSpelled("teh", like: "the"))
        #expect(isSpelled("привте", like: "привет") && !isSpelled("привет", like: "прибор"))
        #expect(!isSpelled("on", like: "in") && !isSpelled("house", like: "mouse trap"))
    }

    /// Letters and lengths tell apart no more than the distance does.
    @Test(arguments: 1...20) func `what is spelled alike is told by the distance`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func word() -> [Unicode.Scalar] {
            (0..<Int.random(in: 3...8, using: &random)).map { _ in
                (["a", "b", "c", "й", "語", "😀"] as [Unicode.Scalar]).randomElement(using: &random) ?? "a"
            }
        }
        for _ in 0..<500 {
            let (asked, lexeme) = (word(), word())
            let text = String(String.UnicodeScalarView(lexeme))
            let term = SearchTerm(word: String(String.UnicodeScalarView(asked)), exact: [])
            let isAlike = Array(text.utf8).withUnsafeBytes { SearchLikeness(term).isSpelled(like: $0) }
            #expect(isAlike == (Spelling.distance(asked, lexeme) <= Spelling.allowance(for: asked.count)))
        }
    }

    // MARK: Cursors

    @Test func `a cursor is read as it was written, and others are refused`() throws {
        var cursor = SearchCursor(begunAt: Date(timeIntervalSince1970: 1_700_000_000))
        #expect(try SearchCursor(text: cursor.text).text == cursor.text)
        let chunk = SearchChunk(conversation: UUID(), number: 7)
        cursor.pass = .similar
        cursor.previous = SearchPlace(firstAt: Date(timeIntervalSince1970: 1_600_000_000), chunk: chunk)
        #expect(try SearchCursor(text: cursor.text).text == cursor.text)
        cursor.shown = (
            SearchPlace(firstAt: Date(timeIntervalSince1970: 1_500_000_000), chunk: chunk),
            SearchRank(score: 0.123, conversation: UUID(), seq: 240)
        )
        let read = try SearchCursor(text: cursor.text)
        #expect(read.text == cursor.text && read.previous == cursor.previous)
        #expect(read.shown?.end == cursor.shown?.end && read.shown?.last == cursor.shown?.last)
        #expect(read.pass == .similar && read.begunAt == cursor.begunAt)
        for bad in ["", "AAAA", "CwAAAAAAAAAA", cursor.text + "AAAA", String(cursor.text.dropLast(4))] {
            #expect(throws: BadCursor.self) { _ = try SearchCursor(text: bad) }
        }
        for number in [-1, Int64.max] {
            let text = PageCursor(.search).appending(0).appending(Date()).appending(1).appending(Date())
                .appending(UUID()).appending(number).text
            #expect(throws: BadCursor.self) { _ = try SearchCursor(text: text) }
        }
    }
}

extension Lexemes {
    /// Of a language in which each word counts as itself.
    static let simple = Lexemes()
}
