import Confusables
import Foundation

/// A short text on one line: trimmed, counted in Unicode scalars, without what reaches beyond it, and to be seen if it is needed.
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
        // PostgreSQL stores no NUL, either.
        guard Appearance.keepsToItself(trimmed) else {
            let message = "Holds a control character, or a mark that turns the text around it."
            throw InvalidField(field: field, code: .invalid, message: message)
        }
        guard minimum == 0 || Appearance.shows(trimmed) else {
            throw InvalidField(field: field, code: .invalid, message: "Shows nothing.")
        }
        return trimmed
    }
}
