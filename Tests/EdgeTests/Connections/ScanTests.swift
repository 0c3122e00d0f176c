import Testing

@testable import Edge

/// What is read along beside the parser ends at the same byte however it comes in pieces.
@Suite struct ScanTests {
    @Test(arguments: [
        "0\r\n\r\n",
        "2\r\n{}\r\n0\r\n\r\n",
        "00001;name=\"a;b\"\r\n\n\r\n0 \r\n\r\n",
        "a\r\n0123\r\n\r\n01\r\nB\r\n0\r\n\r\n0\r\n\r\n \r\n0\r\nA: b\r\nC: d\r\n\r\n",
        "1\n{\n0\n\n",
    ])
    func `a body of chunks ends where it ends`(body: String) {
        let bytes = Array((body + "GET / HTTP/1.1").utf8)
        for first in 0...body.utf8.count {
            for second in first...body.utf8.count {
                var scan = ChunkScan()
                let pieces = [0..<first, first..<second, second..<bytes.count]
                #expect(end(pieces, of: bytes) { scan.read($0) } == body.utf8.count)
            }
        }
    }

    @Test(arguments: [("", "GET / HTTP/1.1\r\nA: b\r\n\r\n"), ("\r\n\n", "GET /a  b HTTP/1.1\nHost: a b c\n\n")])
    func `a head ends with its empty line, and begins behind those before it`(before: String, head: String) {
        let bytes = Array((before + head + "{}\r\n\r\n").utf8)
        for first in 0...bytes.count {
            var scan = HeadScan()
            let begun = end([0..<first], of: bytes) { scan.read($0) }
            if begun == nil { #expect(scan.hasBegun == (first > before.utf8.count)) }
            let found = begun ?? end([0..<first, first..<bytes.count], of: bytes, from: 1) { scan.read($0) }
            #expect(found == (before + head).utf8.count)
            #expect(scan.hasSingleSpaces == !head.contains("  "))
        }
    }

    @Test func `a chunk of any length is no trap`() {
        var scan = ChunkScan()
        let bytes = Array((String(repeating: "f", count: 100) + "\r\n{}\r\n0\r\n\r\n").utf8)
        #expect(bytes.withUnsafeBytes { scan.read($0) } == nil)
    }

    /// Where in all of them the reading of pieces ends.
    private func end(
        _ pieces: [Range<Int>],
        of bytes: [UInt8],
        from index: Int = 0,
        _ read: (UnsafeRawBufferPointer) -> Int?
    ) -> Int? {
        for piece in pieces.dropFirst(index) {
            if let count = bytes[piece].withUnsafeBytes(read) { return piece.lowerBound + count }
        }
        return nil
    }
}
