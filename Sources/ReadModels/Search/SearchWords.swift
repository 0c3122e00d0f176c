import Foundation

/// The words of a text as search knows them: runs of letters and digits, small and without accents.
///
/// The same code makes the words that are stored, those that are asked for and those that are shown, whatever the
/// database's locale. Emoji and punctuation are no words; a script that is written without spaces gives long ones.
enum SearchWords {
    /// What is longer is cut, in texts and queries alike.
    private static let longest = 64

    /// A word, and where the text has it, in Unicode scalars.
    struct Place: Equatable {
        let word: String
        let scalars: Range<Int>
    }

    static func words(of text: String) -> [String] {
        places(in: text).map(\.word)
    }

    static func places(in text: String) -> [Place] {
        var places: [Place] = []
        var start: (index: String.Index, offset: Int)?
        var offset = 0
        let scalars = text.unicodeScalars
        func end(_ index: String.Index) {
            guard let began = start else { return }
            start = nil
            let word = fold(String(scalars[began.index..<index]))
            if !word.isEmpty { places.append(Place(word: word, scalars: began.offset..<offset)) }
        }
        for index in scalars.indices {
            if isPartOfWord(scalars[index]) {
                if start == nil { start = (index, offset) }
            } else {
                end(index)
            }
            offset += 1
        }
        end(scalars.endIndex)
        return places
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            switch UInt8(ascii: scalar) {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                return true
            default: return false
            }
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            return true
        default: return false
        }
    }

    private static func fold(_ word: String) -> String {
        let isASCII = word.utf8.allSatisfy { $0 < 0x80 }
        let folded =
            isASCII
            ? word.lowercased()
            : word.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        // A mark by itself is nothing that anybody looks for.
        return String(folded.filter { $0.isLetter || $0.isNumber }.prefix(longest))
    }
}
