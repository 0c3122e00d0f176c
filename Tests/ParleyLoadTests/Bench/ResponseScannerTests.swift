import NIOCore
import Testing

@testable import parley_load

struct ResponseScannerTests {
    private struct Read: Equatable {
        var statuses: [Int] = []
        var body = ""
        var position: String?
    }

    private func scan(_ text: String, pieces: Int) throws -> Read {
        var scanner = ResponseScanner()
        var read = Read()
        var rest = ArraySlice(text.utf8)
        while !rest.isEmpty {
            var bytes = ByteBuffer(bytes: rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            scanner.feed(&bytes)
            while let status = try scanner.next({ read.body += String(decoding: $0, as: UTF8.self) }) {
                read.statuses.append(status)
            }
        }
        read.position = scanner.position
        return read
    }

    @Test(arguments: [1, 2, 3, 10, 1000])
    func `answers are read however the bytes are cut`(pieces: Int) throws {
        let text =
            "HTTP/1.1 201 Created\r\ncontent-length: 5\r\nParley-Position: abc\r\n\r\n12345"
            + "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\n678\r\n00A;x=y\r\n9012345678\r\n0\r\n\r\n"
            + "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nTrailer: x\r\n\r\n"
        let read = try scan(text, pieces: pieces)
        #expect(read == Read(statuses: [201, 204, 409, 200, 200], body: "123456789012345678", position: "abc"))
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXX\r\n",
    ])
    func `what cannot be framed is an error`(text: String) {
        #expect(throws: ResponseScanner.Problem.self) { try scan(text, pieces: 1000) }
        #expect(throws: ResponseScanner.Problem.self) { try scan(text, pieces: 1) }
    }

    @Test func `a head or a line without end is an error`() {
        let endless = String(repeating: "x", count: 70_000)
        #expect(throws: ResponseScanner.Problem.self) { try scan("HTTP/1.1 200 OK\r\nX: \(endless)", pieces: 1000) }
        #expect(throws: ResponseScanner.Problem.self) {
            try scan("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;\(endless)", pieces: 1000)
        }
    }
}
