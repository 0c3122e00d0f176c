import Foundation

/// Writing by hand what ``EventJSON`` would write.
extension [UInt8] {
    mutating func write(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Writes a name and the number that follows it.
    mutating func write(_ name: StaticString, _ number: some BinaryInteger) {
        write(name)
        append(contentsOf: String(number).utf8)
    }

    /// Writes a name and the id that follows it.
    mutating func write(_ name: StaticString, _ id: UUID) {
        write(name)
        write("\"")
        append(contentsOf: id.uuidString.utf8)
        write("\"")
    }
}
