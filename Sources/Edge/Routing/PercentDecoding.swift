/// Text out of a path's component, in which any byte may be written as `%` and two hexadecimal digits.
enum PercentDecoding {
    /// nil where a `%` is not followed by two digits, where the bytes are not UTF-8, and for a NUL, which no text of the
    /// database can hold.
    static func text(_ encoded: ArraySlice<UInt8>) -> String? {
        guard encoded.contains(percent) else { return String(utf8: encoded) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            guard byte == percent else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0) else { return nil }
        return String(utf8: bytes[...])
    }

    private static let percent = UInt8(ascii: "%")

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
