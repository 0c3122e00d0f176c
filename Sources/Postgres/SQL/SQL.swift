/// A statement: its text with `$n` placeholders, and the values for them.
///
/// Written as a string literal, in which `\(value)` becomes a parameter, `\(identifier: name)` a quoted identifier and
/// `\(fragment)` another `SQL`. No interpolation puts a value into the text, so no value can become syntax.
package struct SQL: Sendable, Hashable {
    package private(set) var text: String
    private(set) var arguments: Arguments

    /// Where in `text` (UTF-8 offset) the placeholder of each parameter begins; needed to renumber when fragments meet.
    private var placeholders: [Int]

    package init() {
        text = ""
        arguments = Arguments()
        placeholders = []
    }

    package var parameters: [SQLParameter] {
        arguments.parameters
    }

    package var isEmpty: Bool {
        text.isEmpty
    }

    mutating func reserve(textBytes: Int, parameters: Int) {
        text.reserveCapacity(textBytes)
        placeholders.reserveCapacity(parameters)
        arguments.reserve(parameters)
    }

    mutating func append(literal: String) {
        var literal = literal
        if literal.withUTF8({ UnsafeRawBufferPointer($0).containsZero }) { arguments.refuse(.containsNUL) }
        text += literal
    }

    mutating func append(_ value: some PostgresEncodable) {
        appendPlaceholder()
        arguments.append(value)
    }

    mutating func append(_ parameter: SQLParameter) {
        appendPlaceholder()
        arguments.append(parameter)
    }

    mutating func append(identifier: String) {
        // PostgreSQL cuts longer names silently, so that two of them could become one.
        if identifier.isEmpty || identifier.utf8.count > 63 || identifier.utf8.contains(0) {
            arguments.refuse(.invalidIdentifier)
        }
        text += "\""
        for character in identifier.unicodeScalars {
            text.unicodeScalars.append(character)
            if character == "\"" { text.unicodeScalars.append(character) }
        }
        text += "\""
    }

    mutating func append(_ other: SQL) {
        var rest = other.text.startIndex
        for (index, offset) in other.placeholders.enumerated() {
            let placeholder = other.text.utf8.index(other.text.startIndex, offsetBy: offset)
            text += other.text[rest..<placeholder]
            appendPlaceholder()
            rest = other.text.utf8.index(placeholder, offsetBy: 1 + Self.digits(index + 1))
        }
        text += other.text[rest...]
        arguments.append(other.arguments)
    }

    private mutating func appendPlaceholder() {
        placeholders.append(text.utf8.count)
        let index = placeholders.count - 1
        text += index < Self.firstPlaceholders.count ? Self.firstPlaceholders[index] : "$\(index + 1)"
    }

    /// Nearly all that there are.
    private static let firstPlaceholders = (1...32).map { "$\($0)" }

    private static func digits(_ number: Int) -> Int {
        String(number).utf8.count
    }
}

extension SQL {
    package static func + (left: SQL, right: SQL) -> SQL {
        var result = left
        result.append(right)
        return result
    }

    package static func += (left: inout SQL, right: SQL) {
        left.append(right)
    }
}

extension Sequence where Element == SQL {
    package func joined(separator: SQL) -> SQL {
        var result = SQL()
        for (index, fragment) in enumerated() {
            if index > 0 { result.append(separator) }
            result.append(fragment)
        }
        return result
    }
}

extension SQL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text alone: a parameter's value never reaches a log.
    package var description: String { text }
    package var debugDescription: String { text }
    package var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
