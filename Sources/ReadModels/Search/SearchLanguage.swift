import Postgres

/// Which words of a language count as the same: those that PostgreSQL's dictionary makes the same of.
package struct SearchLanguage: Sendable, Equatable {
    /// As in PostgreSQL's text search configurations.
    package let name: String

    /// Every word for itself: for texts of any language.
    package static let simple = SearchLanguage(known: "simple")

    /// Those that every PostgreSQL from 14 on has a Snowball stemmer for.
    package static let names = [
        "simple", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french",
        "german",
        "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian",
        "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
    ]

    /// Nil for a language that is not one of ``names``.
    package init?(_ name: String) {
        guard Self.names.contains(name) else { return nil }
        self.init(known: name)
    }

    private init(known name: String) {
        self.name = name
    }

    var dictionary: String { self == .simple ? name : "\(name)_stem" }

    /// What the words of texts count as: themselves, or their stems; nothing where the language has them everywhere.
    func lexemes(of texts: [String], on connection: PostgresConnection) async throws -> Lexemes {
        guard self != .simple else { return Lexemes() }
        let words = Array(texts.reduce(into: Set()) { $0.formUnion(SearchWords.words(of: $1)) })
        guard !words.isEmpty else { return Lexemes(stems: [:]) }
        let rows = try await connection.query(
            """
            SELECT w.word, coalesce(ts_lexize(\(dictionary)::text::regdictionary, w.word), ARRAY[w.word]) AS lexemes
            FROM unnest(\(words)) AS w (word)
            """
        )
        var stems: [String: [String]] = [:]
        for row in rows { stems[try row.decode("word")] = try row.decode("lexemes") }
        return Lexemes(stems: stems)
    }
}

/// What the words of some texts count as.
struct Lexemes {
    /// Nil where each counts as itself.
    private let stems: [String: [String]]?

    init(stems: [String: [String]]? = nil) {
        self.stems = stems
    }

    subscript(word: String) -> [String] {
        guard let stems else { return [word] }
        return stems[word] ?? []
    }

    /// Those of a text, some more than once.
    func forEach(in text: String, _ body: (String) -> Void) {
        SearchWords.forEachPlace(in: text) { place in
            guard let stems else { return body(place.word) }
            stems[place.word]?.forEach(body)
        }
    }

    /// Those of texts.
    func all(in texts: [String]) -> Set<String> {
        var all: Set<String> = []
        for text in texts { forEach(in: text) { all.insert($0) } }
        return all
    }
}
