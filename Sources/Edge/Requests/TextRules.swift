import Confusables
import ParleyWire

/// What every text has to keep to before it is stored.
package enum TextRules {
    /// No email, password, name or token is longer; the exact rules are Identity's.
    package static let maxCredential = 4_096

    struct Mistake {
        let code: FieldProblemCode
        let message: String
    }

    /// Checks a text's length in Unicode scalars, and that PostgreSQL can hold it.
    static func check(_ text: String, length: ClosedRange<Int>) -> Mistake? {
        // PostgreSQL's text has no NUL.
        if holdsNUL(text) { return Mistake(code: .invalid, message: "The text must not contain NUL.") }
        // Most texts have no more bytes than the limit has scalars, and need no counting.
        let count = text.utf8.count <= length.upperBound ? nil : text.unicodeScalars.count
        if let count, count > length.upperBound {
            return Mistake(code: .tooLong, message: "At most \(length.upperBound) characters are allowed.")
        }
        if length.lowerBound > 0, text.unicodeScalars.prefix(length.lowerBound).count < length.lowerBound {
            return Mistake(code: .tooShort, message: "At least \(length.lowerBound) characters are needed.")
        }
        return nil
    }

    private static func holdsNUL(_ text: String) -> Bool {
        // In one piece, as all strings lie here, in a fraction of the time.
        text.utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? text.utf8.contains(0)
    }

    /// Whether there is nothing to be seen of a text.
    package static func isBlank(_ text: String) -> Bool { !Appearance.shows(text) }
}
