/// A word that is looked for, and the lexemes that are taken for it.
struct SearchTerm {
    let word: String
    /// What the language makes of the word.
    let exact: Set<String>
    /// Those that have the word in them, or are spelled much like it.
    var similar: Set<String> = []

    var lexemes: Set<String> { exact.union(similar) }

    /// The words of a text, each once and in order, without those that its language has everywhere.
    static func terms(of text: String, in lexemes: Lexemes) -> [SearchTerm] {
        var seen: Set<String> = []
        return SearchWords.words(asked: text).compactMap { word in
            let exact = Set(lexemes[word])
            return exact.isEmpty || !seen.insert(word).inserted ? nil : SearchTerm(word: word, exact: exact)
        }
    }

    // MARK: Likeness

    /// What a lexeme with this word in it looks like to PostgreSQL's LIKE; nil for words that too many others have in them.
    /// Words are letters and digits, so nothing in them means anything to LIKE.
    var pattern: String? {
        switch word.unicodeScalars.count {
        case ...1: nil
        case 2: "\(word)%"
        default: "%\(word)%"
        }
    }

    func isContained(in lexeme: String) -> Bool {
        switch word.unicodeScalars.count {
        case ...1: false
        case 2: lexeme.hasPrefix(word)
        default: lexeme.contains(word)
        }
    }

    /// Whether somebody may have meant the lexeme.
    func isSpelled(like lexeme: String) -> Bool {
        let allowance = Spelling.allowance(for: word)
        // Cheap, and true of most.
        guard allowance > 0, abs(lexeme.count - word.count) <= allowance else { return false }
        return Spelling.distance(word, lexeme) <= allowance
    }
}
