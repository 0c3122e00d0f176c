import Foundation

/// The words of a text as search knows them: runs of letters and digits, small and without accents.
///
/// The same code makes the words that are stored, those that are asked for and those that are shown, whatever the
/// database's locale. Scripts that are written without spaces give words of one and of two letters (bigrams), so that
/// whatever is asked for is found wherever it stands. Emoji and punctuation are no words.
enum SearchWords {
    /// In Unicode scalars. What is longer is cut, in texts and queries alike; a lexeme of PostgreSQL has 2,046 bytes at most.
    private static let longest = 64

    /// A word, and where the text has it, in Unicode scalars.
    struct Place: Equatable {
        let word: String
        let scalars: Range<Int>
    }

    /// All words of a text, each once.
    static func words(of text: String) -> Set<String> {
        var words: Set<String> = []
        forEachPlace(in: text) { words.insert($0.word) }
        return words
    }

    /// The words that a text must have to have those of a question, in their order: of a run that is written without spaces
    /// those of two letters, which say where the single ones stand.
    static func words(asked text: String) -> [String] {
        var words: [String] = []
        forEachRun(in: text) { run in
            let units = units(of: run)
            words += (units.count > 1 ? bigrams(units) : units).map(\.word)
        }
        return words
    }

    static func places(in text: String) -> [Place] {
        var places: [Place] = []
        forEachPlace(in: text) { places.append($0) }
        return places
    }

    /// A byte of ASCII that is in no word ends whatever stands before it, so that what is between two of them is read for
    /// itself: of ASCII alone in a small part of the time, as most words of most texts are.
    static func forEachPlace(in text: String, _ body: (Place) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            var (index, offset) = (0, 0)
            while index < bytes.count {
                let (first, start) = (index, offset)
                while index < bytes.count, bytes[index] >= 0x80 || isLetter(bytes[index]) {
                    // All but those that go on with a scalar.
                    if bytes[index] & 0xC0 != 0x80 { offset += 1 }
                    index += 1
                }
                let piece = UnsafeBufferPointer(rebasing: bytes[first..<index])
                if piece.count == offset - start {
                    if !piece.isEmpty { body(Place(word: lowercased(piece), scalars: start..<offset)) }
                } else {
                    forEachPlaceOfRuns(in: String(decoding: piece, as: UTF8.self), from: start, body)
                }
                // The byte that ended it.
                index += 1
                offset += 1
            }
        }
    }

    /// The same of whatever text there is, which begins so many scalars after the beginning.
    static func forEachPlaceOfRuns(in text: String, from start: Int = 0, _ body: (Place) -> Void) {
        forEachRun(in: text, from: start) { run in
            guard run.isUnspaced else {
                if let place = place(run.scalars[...], of: run) { body(place) }
                return
            }
            let units = units(of: run)
            units.forEach(body)
            bigrams(units).forEach(body)
        }
    }

    /// Of letters and digits of ASCII.
    private static func lowercased(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let bytes = bytes.prefix(longest)
        return String(unsafeUninitializedCapacity: bytes.count) { buffer in
            var count = 0
            for byte in bytes {
                buffer[count] = lowercased(byte)
                count += 1
            }
            return count
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// Whether a byte of ASCII is a letter or a digit.
    private static func isLetter(_ byte: UInt8) -> Bool {
        let small = byte | 0x20
        return small >= UInt8(ascii: "a") && small <= UInt8(ascii: "z")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    // MARK: Runs

    /// Letters and digits that follow each other.
    private struct Run {
        /// Where the text has it, in Unicode scalars.
        let start: Int
        let scalars: [Unicode.Scalar]
        let isUnspaced: Bool
    }

    /// A run ends where a script without spaces begins, too: `iPhoneを` is two.
    private static func forEachRun(in text: String, from start: Int = 0, _ body: (Run) -> Void) {
        var scalars: [Unicode.Scalar] = []
        var isUnspaced = false
        var offset = start
        func end() {
            guard !scalars.isEmpty else { return }
            body(Run(start: offset - scalars.count, scalars: scalars, isUnspaced: isUnspaced))
            scalars.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            switch part(scalar) {
            case .letter:
                if scalar.isUnspaced != isUnspaced { end() }
                if scalars.isEmpty { isUnspaced = scalar.isUnspaced }
                scalars.append(scalar)
            // A mark, or what nobody sees, goes on with a word and begins none.
            case .continuation: if !scalars.isEmpty { scalars.append(scalar) }
            case .none: end()
            }
            offset += 1
        }
        end()
    }

    private enum Part {
        case letter, continuation
    }

    private static func part(_ scalar: Unicode.Scalar) -> Part? {
        if scalar.isASCII { return isLetter(UInt8(ascii: scalar)) ? .letter : nil }
        // The voice marks of narrow kana.
        if scalar.value == 0xFF9E || scalar.value == 0xFF9F { return .continuation }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            return .letter
        case .nonspacingMark, .spacingMark, .enclosingMark: return .continuation
        // Soft hyphens and joiners; the zero-width space does separate words.
        case .format:
            return scalar.value != 0x200B && scalar.properties.isDefaultIgnorableCodePoint ? .continuation : nil
        default: return nil
        }
    }

    // MARK: Words

    /// A run's word; of a script without spaces, its letters, each with the marks that belong to it.
    private static func units(of run: Run) -> [Place] {
        guard run.isUnspaced else { return place(run.scalars[...], of: run).map { [$0] } ?? [] }
        var units: [Place] = []
        var first = run.scalars.startIndex
        for index in run.scalars.indices.dropFirst() where part(run.scalars[index]) == .letter {
            if let unit = place(run.scalars[first..<index], of: run) { units.append(unit) }
            first = index
        }
        if let unit = place(run.scalars[first...], of: run) { units.append(unit) }
        return units
    }

    private static func bigrams(_ units: [Place]) -> [Place] {
        zip(units, units.dropFirst()).map { one, next in
            Place(word: one.word + next.word, scalars: one.scalars.lowerBound..<next.scalars.upperBound)
        }
    }

    private static func place(_ scalars: ArraySlice<Unicode.Scalar>, of run: Run) -> Place? {
        let word = folded(scalars)
        guard !word.isEmpty else { return nil }
        return Place(word: word, scalars: run.start + scalars.startIndex..<run.start + scalars.endIndex)
    }

    /// Small, compatible (NFKD), without accents and what nobody sees, with the digits of all scripts as one.
    private static func folded(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        foldedEach(scalars) ?? foldedTogether(scalars)
    }

    /// Of letters that each fold for themselves, in a small part of the time; nil where there are others.
    static func foldedEach(_ scalars: ArraySlice<Unicode.Scalar>) -> String? {
        if scalars.allSatisfy({ $0.isASCII }) {
            let scalars = scalars.prefix(longest)
            return String(unsafeUninitializedCapacity: scalars.count) { buffer in
                var count = 0
                for scalar in scalars {
                    buffer[count] = lowercased(UInt8(ascii: scalar))
                    count += 1
                }
                return count
            }
        }
        var word = String.UnicodeScalarView()
        // Decomposed, a syllable of Hangul is three.
        guard scalars.count <= longest / 3 else { return nil }
        for scalar in scalars {
            if scalar.value < folds.count {
                word.append(contentsOf: folds[Int(scalar.value)])
            } else if scalar.foldsToItself {
                word.append(scalar)
            } else {
                return nil
            }
        }
        return String(word)
    }

    /// What the letters up to those of Arabic fold to: none of it makes something else of what stands beside it.
    private static let folds: [[Unicode.Scalar]] = (0..<0x700).map { value in
        Unicode.Scalar(value).map { Array(foldedTogether([$0]).unicodeScalars) } ?? []
    }

    /// Of whatever there is: together, as letters and marks may merge and change places.
    static func foldedTogether(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        // To put a letter's marks in order takes the square of their number.
        let scalars = scalars.prefix(4 * longest)
        let compatible = String(String.UnicodeScalarView(scalars)).decomposedStringWithCompatibilityMapping.lowercased()
            .decomposedStringWithCompatibilityMapping
        var kept = String.UnicodeScalarView()
        for scalar in compatible.unicodeScalars where kept.count < longest { append(scalar, to: &kept) }
        return String(kept).precomposedStringWithCanonicalMapping
    }

    private static func append(_ scalar: Unicode.Scalar, to word: inout String.UnicodeScalarView) {
        switch scalar {
        case "ß": word.append(contentsOf: "ss".unicodeScalars)
        case "ς": word.append("σ")
        case "ı": word.append("i")
        default:
            if scalar.properties.isDefaultIgnorableCodePoint || scalar.isAccent || part(scalar) == nil { return }
            if scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue,
                let digit = Int(exactly: value).flatMap({ "\($0)".unicodeScalars.first })
            {
                word.append(digit)
            } else {
                word.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Of a script that writes words without spaces between them: Thai, Lao, Tibetan, Myanmar, Khmer, kana, Bopomofo, Han.
    fileprivate var isUnspaced: Bool {
        switch value {
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF,
            0x3400...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x1_6FE0...0x1_8CFF, 0x1_B000...0x1_B2FF,
            0x2_0000...0x3_FFFF:
            true
        default: false
        }
    }

    /// Ideographs, kana and syllables of Hangul, where none of the marks and letters that they would merge with follows.
    fileprivate var foldsToItself: Bool {
        switch value {
        case 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    /// A mark that words are written without as well: accents (of the classes from 200 on), and the vowel points of Hebrew,
    /// Arabic and Syriac (10 to 36). Those of India, of kana and of Thai are parts of their letters.
    fileprivate var isAccent: Bool {
        let mark = properties.canonicalCombiningClass.rawValue
        return mark >= 200 || (10...36).contains(mark)
    }
}
