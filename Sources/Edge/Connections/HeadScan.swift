import Foundation

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
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var start = 0
        while start < bytes.count {
            let end = bytes.lineFeed(from: start)
            take(UnsafeRawBufferPointer(rebasing: bytes[start..<(end ?? bytes.count)]))
            guard let end else { return nil }
            start = end + 1
            guard hasBegun else { continue }
            if isLineEmpty { return start }
            isFirstLine = false
            isLineEmpty = true
        }
        return nil
    }

    /// Takes a line or a part of one, without its end.
    private mutating func take(_ line: UnsafeRawBufferPointer) {
        guard line.contains(where: { $0 != UInt8(ascii: "\r") }) else { return }
        hasBegun = true
        isLineEmpty = false
        if isFirstLine { for byte in line where byte == UInt8(ascii: " ") { spaces += 1 } }
    }
}

extension UnsafeRawBufferPointer {
    /// Where the next line ends; `memchr` looks at many bytes at once.
    func lineFeed(from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, 0x0A, count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
