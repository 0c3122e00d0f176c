import Confusables
package import Foundation
package import ParleyWire

/// Reads the members of one JSON object and collects everything that is wrong with them, so that a client learns of
/// all mistakes at once. Members that nobody asks for are ignored.
///
/// A reader returns nil both for a field that is absent (or null) and for one that is wrong; ``problem`` tells:
///
///     let name = fields.text("groupName", 1...100, required: true)
///     guard let name, fields.areValid else { throw fields.problem }
package struct Fields {
    private let object: [String: JSON]
    private let pointer: String
    private(set) var errors: [FieldProblem] = []

    init(_ object: [String: JSON], pointer: String = "") {
        self.object = object
        self.pointer = pointer
    }

    package var areValid: Bool { errors.isEmpty }
    package var problem: HTTPProblem { .invalid(errors) }

    package mutating func fail(_ name: String, _ code: FieldProblemCode, _ message: String) {
        // More would help nobody, and the answer must not outgrow the request.
        guard errors.count < 50 else { return }
        errors.append(FieldProblem(pointer: "\(pointer)/\(name)", code: code, message: message))
    }

    /// The member's value; nil, with an error where it is required, if it is absent or null.
    private mutating func value(_ name: String, required: Bool) -> JSON? {
        switch object[name] {
        case .none, .some(.null):
            if required { fail(name, .required, "The field is required.") }
            return nil
        case .some(let value):
            return value
        }
    }

    package func isNull(_ name: String) -> Bool { object[name] == .null }

    /// Whether the member is there, and not null.
    package func has(_ name: String) -> Bool { object[name].map { $0 != .null } ?? false }
}

extension Fields {
    /// A string as it is, of a length in Unicode scalars.
    package mutating func text(_ name: String, _ length: ClosedRange<Int>, required: Bool = false) -> String? {
        guard let value = value(name, required: required) else { return nil }
        guard let text = string(value, name) else { return nil }
        return check(text, name, length) ? text : nil
    }

    /// A name: on one line, without the white space around it, to be seen, and without what turns the text around it; the length
    /// counts what is left.
    package mutating func name(_ name: String, _ length: ClosedRange<Int>, required: Bool = false) -> String? {
        guard let value = value(name, required: required) else { return nil }
        guard let text = string(value, name)?.trimmingCharacters(in: .whitespacesAndNewlines) else { return nil }
        guard check(text, name, length) else { return nil }
        guard Appearance.keepsToItself(text) else {
            fail(name, .invalid, "The text must not contain control characters, or marks that turn the text around it.")
            return nil
        }
        guard !TextRules.isBlank(text) else {
            fail(name, .blank, "A name needs characters that show.")
            return nil
        }
        return text
    }

    /// A name of the kind that standards give out, such as `Europe/Paris` or `pt-BR`: letters, digits, `_`, `+` and `-` in
    /// parts. Whether there is such a thing depends on tables that clients and servers have in different editions.
    package mutating func identifier(_ name: String, _ length: ClosedRange<Int>, separator: Character) -> String? {
        guard let text = text(name, length) else { return nil }
        let isPart = { (part: Substring) in
            !part.isEmpty && part.utf8.allSatisfy { Self.identifierCharacters.contains($0) }
        }
        if text.split(separator: separator, omittingEmptySubsequences: false).allSatisfy(isPart) { return text }
        fail(name, .invalid, "A name such as \(separator == "/" ? "Europe/Paris" : "pt-BR") is expected.")
        return nil
    }

    private static let identifierCharacters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-".utf8
    )

    private mutating func check(_ text: String, _ name: String, _ length: ClosedRange<Int>) -> Bool {
        switch TextRules.check(text, length: length) {
        case .none: return true
        case .some(let mistake):
            fail(name, mistake.code, mistake.message)
            return false
        }
    }

    private mutating func string(_ value: JSON, _ name: String) -> String? {
        switch value {
        case .string(let text): return text
        case .unpairedSurrogate: fail(name, .invalid, "The text has a surrogate without its partner.")
        case .null, .bool, .number, .array, .object: fail(name, .wrongType, "A string is expected.")
        }
        return nil
    }

    package mutating func bool(_ name: String, required: Bool = false) -> Bool? {
        guard let value = value(name, required: required) else { return nil }
        if case .bool(let bool) = value { return bool }
        fail(name, .wrongType, "A boolean is expected.")
        return nil
    }

    package mutating func integer(_ name: String, _ range: ClosedRange<Int64>, required: Bool = false) -> Int64? {
        guard let value = value(name, required: required) else { return nil }
        guard case .number(let number) = value else {
            fail(name, .wrongType, "A whole number is expected.")
            return nil
        }
        if let integer = number.integer, range.contains(integer) { return integer }
        let isFraction = number.double.isFinite && number.double.rounded() != number.double
        fail(
            name,
            isFraction ? .wrongType : .outOfRange,
            "A whole number from \(range.lowerBound) to \(range.upperBound) is expected."
        )
        return nil
    }

    /// A value that this version does not know is ignored, like a field that it does not know.
    package mutating func choice<Choice>(_ name: String, of type: Choice.Type) -> Choice?
    where Choice: RawRepresentable, Choice.RawValue == String {
        guard let value = value(name, required: false), let text = string(value, name) else { return nil }
        return isPlain(text) ? Choice(rawValue: text) : nil
    }

    /// Whether it may be one of a few words or an id.
    private func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.isASCII
    }

    /// A time as RFC 3339, in whole milliseconds.
    package mutating func time(_ name: String, required: Bool = false) -> Date? {
        guard let value = value(name, required: required), let text = string(value, name) else { return nil }
        if let time = Timestamp.parse(text) { return time }
        fail(name, .invalid, "A time as in 2026-03-01T10:00:00.123Z is expected.")
        return nil
    }
}

extension Fields {
    package mutating func id(_ name: String, required: Bool = false) -> UUID? {
        guard let value = value(name, required: required) else { return nil }
        return read(value, name, Self.idExpected) { WireID($0)?.uuid }
    }

    package mutating func ids(_ name: String, atMost limit: Int, required: Bool = false) -> [UUID]? {
        values(name, atMost: limit, required: required, Self.idExpected) { WireID($0)?.uuid }
    }

    private static let idExpected = "A UUID is expected."

    /// An array of strings, of each of which `read` makes a value; nil for what is not as expected.
    package mutating func values<Value>(
        _ name: String,
        atMost limit: Int,
        required: Bool = false,
        _ expected: String,
        read: (String) -> Value?
    ) -> [Value]? {
        guard let elements = array(name, atMost: limit, required: required) else { return nil }
        let errorsBefore = errors.count
        let values = elements.enumerated().compactMap { place, element in
            self.read(element, "\(name)/\(place)", expected, read)
        }
        return errors.count == errorsBefore ? values : nil
    }

    private mutating func read<Value>(
        _ value: JSON,
        _ name: String,
        _ expected: String,
        _ read: (String) -> Value?
    ) -> Value? {
        guard let text = string(value, name) else { return nil }
        if isPlain(text), let result = read(text) { return result }
        fail(name, .invalid, expected)
        return nil
    }

    /// An array of objects, each read by `read` with the pointer of its place.
    package mutating func objects<Value>(
        _ name: String,
        atMost limit: Int,
        required: Bool = false,
        read: (inout Fields) -> Value?
    ) -> [Value]? {
        guard let elements = array(name, atMost: limit, required: required) else { return nil }
        var values: [Value] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else {
                fail("\(name)/\(index)", .wrongType, "An object is expected.")
                continue
            }
            var fields = Fields(members, pointer: "\(pointer)/\(name)/\(index)")
            if let value = read(&fields) { values.append(value) }
            errors.append(contentsOf: fields.errors.prefix(max(0, 50 - errors.count)))
        }
        return areValid ? values : nil
    }

    package mutating func object<Value>(_ name: String, read: (inout Fields) -> Value?) -> Value? {
        guard let value = value(name, required: false) else { return nil }
        guard case .object(let members) = value else {
            fail(name, .wrongType, "An object is expected.")
            return nil
        }
        var fields = Fields(members, pointer: "\(pointer)/\(name)")
        let result = read(&fields)
        errors.append(contentsOf: fields.errors)
        return result
    }

    private mutating func array(_ name: String, atMost limit: Int, required: Bool) -> [JSON]? {
        guard let value = value(name, required: required) else { return nil }
        guard case .array(let elements) = value else {
            fail(name, .wrongType, "An array is expected.")
            return nil
        }
        guard elements.count <= limit else {
            fail(name, .tooMany, "At most \(limit) are allowed.")
            return nil
        }
        return elements
    }
}
