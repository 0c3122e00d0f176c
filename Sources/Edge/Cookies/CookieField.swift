/// The value of a `Cookie` header (RFC 6265 §4.2.1).
enum CookieField {
    /// The value of the first cookie of a name.
    static func value(of name: String, in header: String) -> String? {
        for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard pair.starts(with: name.utf8) else { continue }
            let rest = pair.dropFirst(name.utf8.count)
            guard rest.first == UInt8(ascii: "=") else { continue }
            return Substring(rest.dropFirst()).trimmingTrailingSpace
        }
        return nil
    }
}

extension Substring {
    fileprivate var trimmingTrailingSpace: String {
        var bytes = utf8
        while bytes.last == UInt8(ascii: " ") || bytes.last == UInt8(ascii: "\t") { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
