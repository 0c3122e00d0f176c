package import Foundation

/// Writes JSON straight into bytes: several times faster than `JSONEncoder`, for what is sent very often.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(reserving capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    package mutating func array<Element>(
        _ elements: some Sequence<Element>,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        open(UInt8(ascii: "["))
        for element in elements { write(&self, element) }
        close(UInt8(ascii: "]"))
    }

    /// An object whose members are named by ids, in their order.
    package mutating func map<Value>(_ members: [WireID: Value], _ write: (inout JSONWriter, Value) -> Void) {
        object { writer in
            for (id, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.id(id)
                writer.colon()
                write(&writer, value)
            }
        }
    }

    /// The name of the member whose value comes next.
    package mutating func name(_ name: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        colon()
    }

    /// As above, where the name is known at run time only. Named otherwise, or a literal would be a `String`, and looked
    /// through for what needs escaping.
    package mutating func name(atRunTime name: String) {
        string(name)
        colon()
    }

    package mutating func null() {
        raw("null")
    }

    package mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    package mutating func number(_ number: some BinaryInteger) {
        comma()
        bytes.append(contentsOf: String(number).utf8)
    }

    /// A number as `JSONEncoder` writes it; null for what JSON has no number for.
    package mutating func number(_ number: Double) {
        guard number.isFinite else { return null() }
        comma()
        let text = number.description
        bytes.append(contentsOf: text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
    }

    package mutating func time(_ date: Date) {
        quoted { Timestamp.append(date, to: &$0) }
    }

    package mutating func id(_ id: WireID) {
        quoted { id.appendText(to: &$0) }
    }

    /// Text of any kind.
    package mutating func string(_ text: String) {
        quoted { bytes in
            var text = text
            text.withUTF8 { text in
                var start = text.startIndex
                for index in text.indices where Self.needsEscape(text[index]) {
                    bytes.append(contentsOf: text[start..<index])
                    Self.escape(text[index], to: &bytes)
                    start = index + 1
                }
                bytes.append(contentsOf: text[start...])
            }
        }
    }

    /// The value, or null.
    package mutating func optional<Value>(_ value: Value?, _ write: (inout JSONWriter, Value) -> Void) {
        if let value { write(&self, value) } else { null() }
    }

    private mutating func quoted(_ write: (inout [UInt8]) -> Void) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func raw(_ text: StaticString) {
        comma()
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func open(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func colon() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// RFC 8259 §7: quotation mark, reverse solidus and the control characters.
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }
}
