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

    /// Single letters too many others have in them.
    func isContained(in lexeme: String) -> Bool {
        switch word.unicodeScalars.count {
        case ...1: false
        case 2: lexeme.utf8.starts(with: word.utf8)
        default: Self.has(lexeme, word)
        }
    }

    /// By their bytes, as both are composed.
    private static func has(_ text: String, _ part: String) -> Bool {
        var (text, part) = (text, part)
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let first = part.first, text.count >= part.count else { return false }
                return (0...text.count - part.count).contains { start in
                    text[start] == first && text[start..<start + part.count].elementsEqual(part)
                }
            }
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
