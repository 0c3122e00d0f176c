/// The value of a `Cookie` header (RFC 6265 §4.2.1).
enum CookieField {
    /// The value of the cookie of a name; nil where there are several that differ: one of them is not ours. Over plain HTTP
    /// whatever else runs on the same host can plant one, under a longer path, which comes first.
    static func value(of name: String, in header: String) -> String? {
        var found: String?
        for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard pair.starts(with: name.utf8) else { continue }
            let rest = pair.dropFirst(name.utf8.count)
            guard rest.first == UInt8(ascii: "=") else { continue }
            let value = Substring(rest.dropFirst()).trimmingTrailingSpace
            guard found == nil || found == value else { return nil }
            found = value
        }
        return found
    }
}

extension Substring {
    fileprivate var trimmingTrailingSpace: String {
        var bytes = utf8
        while bytes.last == UInt8(ascii: " ") || bytes.last == UInt8(ascii: "\t") { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
