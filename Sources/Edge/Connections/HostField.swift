/// The value of a `Host` header: a name or an address, and a port (RFC 9110 §7.2, RFC 3986 §3.2.2). None is empty, as every
/// `http` URI has a host (RFC 9110 §4.2.1).
enum HostField {
    static func isValid(_ text: Substring) -> Bool {
        // By bytes of their own: to pop one off a text takes several times as long.
        var rest = Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest[rest.index(after: rest.startIndex)..<end]
            guard !address.isEmpty, address.allSatisfy({ isName($0) || $0 == colon }) else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let name = rest.prefix { $0 != colon }
            guard !name.isEmpty, isName(name) else { return false }
            rest = rest.dropFirst(name.count)
        }
        guard let first = rest.popFirst() else { return true }
        return first == colon && rest.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static let colon = UInt8(ascii: ":")

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            if isName(byte) { continue }
            guard byte == UInt8(ascii: "%"), let high = rest.popFirst(), let low = rest.popFirst(), isHexadecimal(high),
                isHexadecimal(low)
            else { return false }
        }
        return true
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// `unreserved` and `sub-delims`.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: marks.contains(byte)
        }
    }

    private static let marks = Array("-._~!$&'()*+,;=".utf8)
}
