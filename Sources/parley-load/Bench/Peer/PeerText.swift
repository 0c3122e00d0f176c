import Foundation
import ParleyWire

/// Texts with placeholders in braces.
enum PeerText {
    /// `{run}` is the same all the time and new in each run, `{sender}` counts from 1, `{text}` is what is said,
    /// `{uuid}` and `{counter}` are new in each request.
    static let builtIn: Set<String> = ["uuid", "counter", "text", "run", "sender"]

    /// Where a value is put decides how it is written.
    enum Context {
        case path
        case header
        case body
    }

    /// The names in braces: letters, digits and underscores, so that JSON's own braces are none.
    static func placeholders(in text: String) -> [String] {
        text.matches(of: /\{([A-Za-z][A-Za-z0-9_]*)\}/).map { String($0.output.1) }
    }

    /// Puts values in; placeholders without one stay.
    ///
    /// - Throws: ``PeerFile/Problem`` for a value that would break a header.
    static func fill(_ text: String, _ values: [String: String], in context: Context) throws -> String {
        try text.replacing(/\{([A-Za-z][A-Za-z0-9_]*)\}/) { match in
            guard let value = values[String(match.output.1)] else { return String(match.output.0) }
            return try escape(value, in: context)
        }
    }

    private static func escape(_ value: String, in context: Context) throws -> String {
        switch context {
        case .path: return value.queryEncoded
        case .header:
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw PeerFile.Problem(description: "a value for a header holds a line break or control character")
            }
            return value
        case .body:
            let quoted = String(decoding: try WireJSON.encoder().encode(value), as: UTF8.self)
            return String(quoted.dropFirst().dropLast())
        }
    }

    /// What a JSON answer holds at a path such as `data.rooms.0.id`, as text.
    static func value(at path: String, in answer: Data) -> String? {
        guard var value = try? JSONDecoder().decode(JSONValue.self, from: answer) else { return nil }
        for key in path.split(separator: ".") {
            switch value {
            case .object(let members):
                guard let member = members[String(key)] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Int(key), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        switch value {
        case .string(let text): return text
        case .number(let number): return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .bool(let isTrue): return "\(isTrue)"
        case .null, .array, .object: return nil
        }
    }
}
