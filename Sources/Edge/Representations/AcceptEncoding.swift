/// What `Accept-Encoding` says (RFC 9110 §12.5.3).
enum AcceptEncoding {
    /// No client has use for more; what is longer is not read.
    private static let maxBytes = 512

    /// Whether the client takes gzip, and would not rather have the content as it is.
    ///
    /// - Parameter field: the header's value; members that are not as the RFC has them count as not there.
    static func prefersGzip(_ field: String?) -> Bool {
        guard let field, field.utf8.count <= maxBytes else { return false }
        var gzip: Int?
        var identity: Int?
        var others: Int?
        for member in field.split(separator: ",") {
            guard let (coding, quality) = weighted(member) else { continue }
            switch coding {
            case "gzip", "x-gzip": gzip = gzip ?? quality
            case "identity": identity = identity ?? quality
            case "*": others = others ?? quality
            default: break
            }
        }
        let quality = gzip ?? others ?? 0
        return quality > 0 && quality >= identity ?? 0
    }

    /// A coding, in lower case, and how much it is liked, in thousandths; nil for what is neither `coding` nor
    /// `coding;q=weight`.
    private static func weighted(_ member: Substring) -> (String, Int)? {
        let parts = member.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard let coding = parts.first, !coding.isEmpty, parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (coding.lowercased(), 1_000) }
        guard parts[1].hasPrefix("q=") || parts[1].hasPrefix("Q=") else { return nil }
        return thousandths(parts[1].dropFirst(2)).map { (coding.lowercased(), $0) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }

    /// A weight from 0 to 1 with up to three decimals (RFC 9110 §12.4.2); nil for anything else.
    private static func thousandths(_ text: Substring) -> Int? {
        let digits = text.utf8
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), digits.count <= 5
        else { return nil }
        let decimals = digits.dropFirst()
        guard decimals.isEmpty || decimals.first == UInt8(ascii: ".") else { return nil }
        var weight = first == UInt8(ascii: "1") ? 1_000 : 0
        for (digit, worth) in zip(decimals.dropFirst(), [100, 10, 1]) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            weight += Int(digit - UInt8(ascii: "0")) * worth
        }
        return weight <= 1_000 ? weight : nil
    }
}
