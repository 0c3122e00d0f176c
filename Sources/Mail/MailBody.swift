/// A mail's text in the form that every mail server carries: ASCII, in lines that are not too long (RFC 2045).
struct MailBody {
    /// The `Content-Transfer-Encoding`.
    let encoding: String
    let bytes: [UInt8]

    /// RFC 5322 §2.1.1.
    private static let longestLine = 998
    /// RFC 2045 §6.7 (5).
    private static let longestEncodedLine = 76

    init(_ text: String) {
        var lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.utf8) }
        // The last line ends as the others do, and none follows.
        if lines.last?.isEmpty == true { lines.removeLast() }
        // Left as it is where it can be, so that a link stays whole for those who read the mail's source.
        let isPlain = lines.allSatisfy { line in
            line.count <= Self.longestLine && line.allSatisfy { $0 == 0x09 || (0x20...0x7e).contains($0) }
        }
        encoding = isPlain ? "7bit" : "quoted-printable"
        let written = isPlain ? lines : lines.flatMap(Self.quotedPrintable)
        bytes = Array(written.map { $0 + [0x0d, 0x0a] }.joined())
    }

    /// One line of text as lines of quoted-printable, joined by soft breaks.
    private static func quotedPrintable(_ line: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var current: [UInt8] = []
        for (index, byte) in line.enumerated() {
            let piece = quoted(byte, isLast: index == line.count - 1)
            // One place stays free for the sign of a soft break.
            if current.count + piece.count > longestEncodedLine - 1 {
                lines.append(current + [UInt8(ascii: "=")])
                current = []
            }
            current += piece
        }
        return lines + [current]
    }

    private static func quoted(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        let isSpace = byte == 0x20 || byte == 0x09
        // A space at a line's end would be taken away on the way.
        if isSpace ? !isLast : (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=") { return [byte] }
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 0x0f)]]
    }
}
