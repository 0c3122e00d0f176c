import Foundation

/// A name as the directory finds and orders it: small letters without accents, in words.
///
/// The same code makes the words that are stored and those that are asked for, whatever the database's locale.
struct DirectoryName {
    let sortKey: String
    let words: [String]

    init(_ name: String) {
        sortKey = name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        words = sortKey.split { !$0.isLetter && !$0.isNumber }.prefix(32).map { String($0.prefix(64)) }
    }

    /// As the text form of a `tsvector`. Words have no quotes, but quoting them costs nothing.
    var lexemes: String {
        words.map(Self.quoted).joined(separator: " ")
    }

    /// As the text form of a `tsquery` in which each word is the beginning of one; nil where there are no words.
    var prefixQuery: String? {
        words.isEmpty ? nil : words.map { Self.quoted($0) + ":*" }.joined(separator: " & ")
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "''") + "'"
    }
}
