import NIOCore

/// Reads along in the head of a request, for what the parser does not tell: whether it has begun, where it ends, and how
/// many spaces part the words of its first line.
struct HeadScan {
    /// Empty lines before the first one are nobody's (RFC 9112 §2.2).
    private(set) var hasBegun = false
    private var isFirstLine = true
    private var isLineEmpty = true
    private var spaces = 0

    /// Whether single spaces part the words of the first line, once it is read (RFC 9112 §3).
    var hasSingleSpaces: Bool { spaces == 2 }

    /// - Returns: behind which byte the head ends, if it does in these.
    mutating func read(_ bytes: some Collection<UInt8>) -> Int? {
        var count = 0
        for byte in bytes {
            count += 1
            switch byte {
            case UInt8(ascii: "\r"): break
            case UInt8(ascii: "\n"):
                guard hasBegun else { continue }
                if isLineEmpty { return count }
                isFirstLine = false
                isLineEmpty = true
            default:
                hasBegun = true
                isLineEmpty = false
                if isFirstLine, byte == UInt8(ascii: " ") { spaces += 1 }
            }
        }
        return nil
    }
}
