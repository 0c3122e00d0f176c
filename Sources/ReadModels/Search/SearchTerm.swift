/// A word that is looked for, and the lexemes that are taken for it.
struct SearchTerm {
    /// As many words of a text are looked for; what comes after them is not.
    private static let most = 12

    let word: String
    /// What the language makes of the word.
    let exact: Set<String>
    /// Those that have the word in them, or are spelled much like it.
    var similar: Set<String> = []

    var lexemes: Set<String> { exact.union(similar) }

    /// The words of a text that its language does not have everywhere.
    static func terms(of text: String, in lexemes: Lexemes) -> [SearchTerm] {
        words(of: text).compactMap { word in
            let exact = Set(lexemes[word])
            return exact.isEmpty ? nil : SearchTerm(word: word, exact: exact)
        }
    }

    /// Each once, in order.
    static func words(of text: String) -> [String] {
        var seen: Set<String> = []
        return Array(SearchWords.words(of: text).filter { seen.insert($0).inserted }.prefix(most))
    }

    // MARK: Likeness

    /// What a lexeme with this word in it looks like to PostgreSQL's LIKE; nil for words that too many others have in them.
    /// Words are letters and digits, so nothing in them means anything to LIKE.
    var pattern: String? {
        if word.count > 2 || isUnspaced { return "%\(word)%" }
        return word.count == 2 ? "\(word)%" : nil
    }

    func isContained(in lexeme: String) -> Bool {
        if word.count > 2 || isUnspaced { return lexeme.contains(word) }
        return word.count == 2 && lexeme.hasPrefix(word)
    }

    /// Whether somebody may have meant the lexeme.
    func isSpelled(like lexeme: String) -> Bool {
        let allowance = Spelling.allowance(for: word)
        // Cheap, and true of most.
        guard allowance > 0, abs(lexeme.count - word.count) <= allowance else { return false }
        return Spelling.distance(word, lexeme) <= allowance
    }

    /// Whether it is of a script that writes words without spaces between them (CJK, kana, hangul, and what follows them):
    /// there one letter is much.
    private var isUnspaced: Bool { word.unicodeScalars.contains { $0.value >= 0x2E80 } }
}
