import NIOCore
import Testing

@testable import parley_load

struct BenchTests {
    private func scan(_ text: String, pieces: Int) throws -> [ResponseScanner.Response] {
        var scanner = ResponseScanner()
        var responses: [ResponseScanner.Response] = []
        var rest = ArraySlice(text.utf8)
        while !rest.isEmpty {
            var bytes = ByteBuffer(bytes: rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            scanner.feed(&bytes)
            while let response = try scanner.next() { responses.append(response) }
        }
        return responses
    }

    @Test(arguments: [1, 3, 10, 1000])
    func `answers are read however the bytes are cut`(pieces: Int) throws {
        let text =
            "HTTP/1.1 201 Created\r\ncontent-length: 5\r\nParley-Position: abc\r\n\r\n12345"
            + "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n"
        let responses = try scan(text, pieces: pieces)
        #expect(responses.map(\.status) == [201, 204, 409])
        #expect(responses.map(\.position) == ["abc", nil, nil])
    }

    @Test(arguments: ["garbage\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"])
    func `what cannot be framed is an error`(text: String) {
        #expect(throws: ResponseScanner.Problem.self) { try scan(text, pieces: 1000) }
    }

    @Test func `a head without end is an error`() {
        #expect(throws: ResponseScanner.Problem.self) {
            try scan("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 70_000), pieces: 1000)
        }
    }

    @Test func `percentiles are durations that were measured`() {
        let figures = Figures()
        #expect(figures.percentile(99) == .zero)
        for number in 1...100 { figures.add(.milliseconds(number)) }
        #expect(figures.percentile(50) == .milliseconds(50))
        #expect(figures.percentile(99) == .milliseconds(99))
        #expect(figures.percentile(100) == .milliseconds(100))
        #expect(figures.summary == "p50 50.00 ms, p99 99.00 ms, max 100.00 ms")
        figures.addFailure(status: 503)
        #expect(figures.summary.hasSuffix("FAILED 1 × 503"))
    }

    @Test func `turns run out`() {
        let turns = Turns(2)
        #expect([turns.next(), turns.next(), turns.next()] == [0, 1, nil])
    }

    @Test(arguments: [("http://127.0.0.1:8080", "127.0.0.1", 8080), ("http://chat.example", "chat.example", 80)])
    func `addresses are taken from URLs`(url: String, host: String, port: Int) throws {
        let address = try #require(ServerAddress(url))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(ServerAddress(url.replacing("http:", with: "https:")) == nil)
    }
}
