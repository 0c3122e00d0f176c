package import ParleyWire

/// The parameters of a URL's query, decoded as browsers encode them (`+` is a space).
package struct Query {
    private let items: [(name: String, value: String?)]

    package init(_ text: String?) {
        items = (text ?? "").utf8.split(separator: UInt8(ascii: "&")).prefix(64).compactMap { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let name = Self.decode(first) else { return nil }
            return (name, parts.count == 2 ? Self.decode(parts[1]) : "")
        }
    }

    /// The first value of a parameter; nil where it is absent or empty.
    ///
    /// - Throws: a problem where the value is no percent-encoded UTF-8 text.
    package func text(_ name: String, atMost limit: Int = 4_096) throws(HTTPProblem) -> String? {
        guard let item = items.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        guard let value = item.value, !value.utf8.contains(0) else {
            throw .invalid(parameter: name, .invalid, "The parameter is not UTF-8 text.")
        }
        guard value.unicodeScalars.count <= limit else {
            throw .invalid(parameter: name, .tooLong, "At most \(limit) characters are allowed.")
        }
        return value.isEmpty ? nil : value
    }

    package func choice<Choice>(_ name: String, of type: Choice.Type) throws(HTTPProblem) -> Choice?
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        guard let value = try text(name) else { return nil }
        if value.isASCII, let choice = Choice(rawValue: value) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalid(parameter: name, .notAllowed, "One of these is expected: \(choices).")
    }

    /// The longest text that a search takes.
    package static let maxSearchText = 200

    /// The size of a page.
    package func limit(_ limits: ServerLimits) throws(HTTPProblem) -> Int {
        guard let value = try text("limit") else { return limits.defaultPageSize }
        guard value.utf8.first != UInt8(ascii: "+"), let limit = Int(value),
            (1...limits.maxPageSize).contains(limit)
        else {
            let message = "A whole number from 1 to \(limits.maxPageSize) is expected."
            throw .invalid(parameter: "limit", .outOfRange, message)
        }
        return limit
    }

    private static func decode(_ bytes: Substring.UTF8View) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"):
                decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(nibble), let low = iterator.next().flatMap(nibble) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            default:
                decoded.append(byte)
            }
        }
        return String(utf8: decoded[...])
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
