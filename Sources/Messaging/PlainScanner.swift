import Foundation

/// Reads, from the front, JSON that this program has written by hand, where the decoder would take many times as long.
struct PlainScanner {
    private let bytes: [UInt8]
    private var next = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { next == bytes.count }

    mutating func skip(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard bytes.count - next >= text.count else { return false }
            for index in text.indices where bytes[next + index] != text[index] { return false }
            next += text.count
            return true
        }
    }

    /// A whole number of up to 18 digits.
    mutating func number() -> Int64? {
        var value: Int64 = 0
        let start = next
        while next < bytes.count {
            let byte = bytes[next]
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
            guard next - start < 18 else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            next += 1
        }
        return next > start ? value : nil
    }

    /// A UUID between quotation marks, in upper case as Foundation writes it.
    mutating func id() -> UUID? {
        guard skip("\"") else { return nil }
        var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isRead = withUnsafeMutableBytes(of: &id) { id in
            for index in id.indices {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    guard skip("-") else { return false }
                }
                guard let high = hexDigit(), let low = hexDigit() else { return false }
                id[index] = high << 4 | low
            }
            return true
        }
        guard isRead, skip("\"") else { return nil }
        return UUID(uuid: id)
    }

    private mutating func hexDigit() -> UInt8? {
        guard next < bytes.count else { return nil }
        let byte = bytes[next]
        next += 1
        return switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
