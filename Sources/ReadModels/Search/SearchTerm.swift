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
}
