import Foundation

/// The text form of a UUID, without Foundation's detour over upper case.
enum HexUUID {
    private static let length = 36

    static func format(_ uuid: UUID) -> String {
        String(unsafeUninitializedCapacity: length) { write(uuid, to: $0) }
    }

    static func append(_ uuid: UUID, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
            let count = write(uuid, to: text)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text.prefix(count)))
        }
    }

    /// - Parameter text: has room for ``length`` bytes.
    private static func write(_ uuid: UUID, to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            var next = 0
            for byte in bytes {
                if isDash(next) {
                    text[next] = UInt8(ascii: "-")
                    next += 1
                }
                text[next] = digit(byte >> 4)
                text[next + 1] = digit(byte & 15)
                next += 2
            }
            return next
        }
    }

    static func parse(_ text: some StringProtocol) -> UUID? {
        // All strings but those of Objective-C lie in one piece.
        text.utf8.withContiguousStorageIfAvailable { parse($0) }
            ?? Array(text.utf8.prefix(length + 1)).withUnsafeBufferPointer { parse($0) }
    }

    private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == length else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &uuid) { bytes in
            var next = 0
            for index in bytes.indices {
                if isDash(next) {
                    guard text[next] == UInt8(ascii: "-") else { return false }
                    next += 1
                }
                guard let high = nibble(text[next]), let low = nibble(text[next + 1]) else { return false }
                bytes[index] = high << 4 | low
                next += 2
            }
            return true
        }
        return isValid ? UUID(uuid: uuid) : nil
    }

    private static func isDash(_ index: Int) -> Bool {
        index == 8 || index == 13 || index == 18 || index == 23
    }

    /// - Parameter nibble: below 16.
    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble + (nibble < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }

    private static func nibble(_ unit: UInt8) -> UInt8? {
        switch unit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): unit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): unit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
