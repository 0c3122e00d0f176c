/// Reads JSON (RFC 8259) strictly.
///
/// Foundation's decoder guesses encodings, and says neither where a body goes wrong nor whether a field is absent or
/// null; a PATCH needs the last, hostile input the rest. Depth and number of values are bounded, so that a body of
/// brackets costs neither stack nor memory.
struct JSONParser {
    static let maxDepth = 32
    /// A group may be started with 10,000 participants; nothing that is asked of the API is larger.
    static let maxValues = 25_000
    /// No member that anything here reads has a longer name, or one that is not ASCII.
    private static let maxNameBytes = 64

    private let bytes: [UInt8]
    private var index = 0
    private var values = 0

    static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        var parser = JSONParser(bytes)
        parser.skipWhitespace()
        let value = try parser.value(depth: 1)
        parser.skipWhitespace()
        guard parser.index == bytes.count else { throw parser.syntaxError }
        return value
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var syntaxError: JSONError { .syntax(offset: index) }

    /// The next byte; 0, which JSON has nowhere, behind the end.
    private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

    private mutating func skipWhitespace() {
        while next == UInt8(ascii: " ") || next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
            || next == UInt8(ascii: "\t")
        {
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte, index < bytes.count else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        values += 1
        guard values <= Self.maxValues else { throw .tooManyValues(limit: Self.maxValues) }
        switch next {
        case UInt8(ascii: "{"):
            guard depth <= Self.maxDepth else { throw .tooDeep(limit: Self.maxDepth) }
            return .object(try object(depth: depth))
        case UInt8(ascii: "["):
            guard depth <= Self.maxDepth else { throw .tooDeep(limit: Self.maxDepth) }
            return .array(try array(depth: depth))
        case UInt8(ascii: "\""):
            return try string().map { .string($0) } ?? .unpairedSurrogate
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number())
        case UInt8(ascii: "t"):
            return try literal("true", .bool(true))
        case UInt8(ascii: "f"):
            return try literal("false", .bool(false))
        case UInt8(ascii: "n"):
            return try literal("null", .null)
        default:
            throw syntaxError
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> [String: JSON] {
        index += 1
        var members: [String: JSON] = [:]
        skipWhitespace()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipWhitespace()
            guard next == UInt8(ascii: "\"") else { throw syntaxError }
            let name = try string()
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw syntaxError }
            skipWhitespace()
            let value = try value(depth: depth + 1)
            // Others are left out unread: to hash a name is more work than to read it, for the caller to choose.
            if let name, name.utf8.count <= Self.maxNameBytes, name.isASCII { members[name] = value }
            skipWhitespace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw syntaxError }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSON] {
        index += 1
        var elements: [JSON] = []
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            skipWhitespace()
            elements.append(try value(depth: depth + 1))
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw syntaxError }
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let matches = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        guard matches else { throw syntaxError }
        index += word.utf8CodeUnitCount
        return value
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if let integer = Int64(text) { return JSONNumber(double: Double(integer), integer: integer) }
        let double = Double(text) ?? .infinity
        return JSONNumber(double: double, integer: Int64(exactly: double))
    }

    private mutating func digits() throws(JSONError) {
        let start = index
        while next >= UInt8(ascii: "0"), next <= UInt8(ascii: "9") { index += 1 }
        guard index > start else { throw syntaxError }
    }
}

extension JSONParser {
    /// A string's text; nil where an escape names a surrogate without its partner.
    private mutating func string() throws(JSONError) -> String? {
        index += 1
        let start = index
        while next >= 0x20, next != UInt8(ascii: "\""), next != UInt8(ascii: "\\") { index += 1 }
        // Nearly all strings end here, without an escape.
        if take(UInt8(ascii: "\"")) { return try text(bytes[start..<(index - 1)], at: start) }
        return try escapedString(from: start)
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> String? {
        var unescaped = Array(bytes[start..<index])
        var isText = true
        while true {
            guard index < bytes.count else { throw syntaxError }
            switch next {
            case UInt8(ascii: "\""):
                index += 1
                let text = try text(unescaped[...], at: start)
                return isText ? text : nil
            case UInt8(ascii: "\\"):
                index += 1
                if let scalar = try escape() {
                    unescaped.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                } else {
                    isText = false
                }
            case 0x20...:
                unescaped.append(next)
                index += 1
            default:
                throw syntaxError
            }
        }
    }

    /// Reads what follows a backslash; nil for a surrogate without its partner.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar? {
        let character = next
        index += 1
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(character)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default:
            index -= 1
            throw syntaxError
        }
        let unit = try hexadecimalUnit()
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        let afterLead = index
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            index = afterLead
            return nil
        }
        let trail = try hexadecimalUnit()
        guard UTF16.isTrailSurrogate(trail) else {
            // It is read again as an escape of its own.
            index = afterLead
            return nil
        }
        return Unicode.Scalar(0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(trail & 0x3ff)))
    }

    private mutating func hexadecimalUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch next {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = next - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = next - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = next - UInt8(ascii: "A") + 10
            default: throw syntaxError
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    private func text(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(JSONError) -> String {
        guard let text = String(utf8: bytes) else { throw .notUTF8(offset: offset) }
        return text
    }
}
