import Confusables
import Foundation

/// A short text on one line: trimmed, counted in Unicode scalars, without control characters, and to be seen if it is needed.
struct TextRule {
    let field: String
    let minimum: Int
    let maximum: Int

    func check(_ text: String) throws(InvalidField) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let count = trimmed.unicodeScalars.count
        guard count >= minimum else {
            throw InvalidField(field: field, code: .tooShort, message: "Has fewer than \(minimum) characters.")
        }
        guard count <= maximum else {
            throw InvalidField(field: field, code: .tooLong, message: "Has more than \(maximum) characters.")
        }
        // PostgreSQL stores no NUL, and a line break in a name forges lines wherever names are listed.
        guard trimmed.unicodeScalars.allSatisfy({ !$0.isControlOrSeparator }) else {
            throw InvalidField(field: field, code: .invalid, message: "Holds a control character.")
        }
        guard minimum == 0 || Appearance.shows(trimmed) else {
            throw InvalidField(field: field, code: .invalid, message: "Shows nothing.")
        }
        return trimmed
    }
}

extension Unicode.Scalar {
    var isControlOrSeparator: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // What turns the direction of the text around it can make a name read as another's.
        case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        default: false
        }
    }
}
