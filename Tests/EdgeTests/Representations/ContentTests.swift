import HTTPTypes
import Hummingbird
import Identity
import NIOCore
import ParleyWire
import Testing

@testable import Edge

/// Contents that are answered in part.
struct ContentTests {
    @Test(arguments: [
        (nil, ByteRange.whole), ("", .whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<10)),
        ("bytes=3-5", .part(3..<6)), ("BYTES=3-5", .part(3..<6)), ("bytes=5-100", .part(5..<10)),
        ("bytes=-3", .part(7..<10)),
        ("bytes=-100", .part(0..<10)), ("bytes=9-", .part(9..<10)),
        ("bytes=9-99999999999999999999999", .part(9..<10)), ("bytes=10-", .unsatisfiable),
        ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ("bytes=99999999999999999999999-", .unsatisfiable),
        // More than one, other units and what is malformed: all of it.
        ("bytes=0-1,3-4", .whole), ("items=0-1", .whole), ("bytes=5-3", .whole), ("bytes=-", .whole),
        ("bytes=a-b", .whole),
        ("bytes=1", .whole), ("bytes=+1-2", .whole), ("bytes= 1-2", .whole), ("bytes=1-2-3", .whole),
    ])
    func `a range is read`(field: String?, range: ByteRange) {
        #expect(ByteRange(field, of: 10) == range)
    }

    @Test func `an old range of another content is none, and nothing is no part of nothing`() {
        #expect(ByteRange("bytes=1-2", of: 10, isCurrent: false) == .whole)
        #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", of: 0) == .unsatisfiable)
    }

    private static let content = Content(length: 10, pieceBytes: 3, type: "text/plain", tag: "\"t\"") { rest in
        // Three bytes at a time.
        ByteBuffer(string: String("0123456789".dropFirst(rest.lowerBound).prefix(min(3, rest.count))))
    }

    private static func memory(
        _ budget: CallerBudget = CallerBudget(limit: 1 << 20),
        of caller: UInt32 = 1
    ) -> AnswerMemory {
        AnswerMemory(budget: budget, caller: .network(ClientNetwork(ipv4: caller)))
    }

    private func answer(_ headers: HTTPFields) async throws -> (response: Response, text: String) {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/", headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let response = try await Self.content.response(to: request, within: Self.memory())
        let writer = Written()
        try await response.body.write(writer)
        return (response, String(buffer: writer.bytes))
    }

    @Test func `all of it, a part, none, and what the client has`() async throws {
        let whole = try await answer([:])
        #expect(whole.response.status == .ok && whole.text == "0123456789")
        #expect(whole.response.headers[.acceptRanges] == "bytes")
        #expect(whole.response.headers[.contentLength] == "10")
        let part = try await answer([.range: "bytes=2-6"])
        #expect(part.response.status == .partialContent && part.text == "23456")
        #expect(part.response.headers[.contentRange] == "bytes 2-6/10")
        #expect(part.response.headers[.contentLength] == "5")
        let old = try await answer([.range: "bytes=2-6", .ifRange: "\"s\""])
        #expect(old.response.status == .ok && old.text == "0123456789")
        let beyond = await #expect(throws: HTTPProblem.self) { try await answer([.range: "bytes=10-"]) }
        #expect(beyond?.code == .rangeNotSatisfiable && beyond?.headers[.contentRange] == "bytes */10")
        for tags in ["\"s\", \"t\"", "W/\"t\"", "\"s\",W/\"t\"", "*"] {
            let known = try await answer([.ifNoneMatch: tags])
            #expect(known.response.status == .notModified && known.text.isEmpty, "\(tags)")
        }
    }

    @Test func `a content that cannot be read is refused before it begins, and breaks off behind that`() async throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let empty = Content(length: 10, pieceBytes: 10, type: "text/plain", tag: "\"t\"") { _ in ByteBuffer() }
        await #expect(throws: (any Error).self) { try await empty.response(to: request, within: Self.memory()) }
        let short = Content(length: 10, pieceBytes: 10, type: "text/plain", tag: "\"t\"") { rest in
            guard rest.lowerBound == 0 else { throw CancellationError() }
            return ByteBuffer(string: "0123")
        }
        let response = try await short.response(to: request, within: Self.memory())
        let writer = Written()
        await #expect(throws: BrokenAnswer.self) { try await response.body.write(writer) }
        #expect(String(buffer: writer.bytes) == "0123")
    }

    @Test func `what a content holds at a time counts until it is written, and no more`() async throws {
        let large = Content(length: 10_000_000, pieceBytes: 100_000, type: "text/plain", tag: "\"t\"") { rest in
            ByteBuffer(repeating: 0x61, count: min(100_000, rest.count))
        }
        func request(_ method: HTTPRequest.Method, _ headers: HTTPFields = [:]) -> Request {
            let head = HTTPRequest(method: method, scheme: "http", authority: "x", path: "/", headerFields: headers)
            return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        }
        let budget = CallerBudget(limit: 300_000)
        do {
            let first = try await large.response(to: request(.get), within: Self.memory(budget))
            #expect(!budget.isUnused)
            let other = Self.memory(budget, of: 2)
            let problem = await #expect(throws: HTTPProblem.self) {
                try await large.response(to: request(.get), within: other)
            }
            #expect(problem?.code == .overloaded)
            // A small part, and no body at all, have room.
            let part = try await large.response(to: request(.get, [.range: "bytes=5-9"]), within: other)
            #expect(part.status == .partialContent)
            #expect(try await large.response(to: request(.head), within: other).status == .ok)
            let writer = Written()
            try await first.body.write(writer)
            #expect(writer.bytes.readableBytes == 10_000_000)
        }
        #expect(budget.isUnused)
    }

    private final class Written: ResponseBodyWriter {
        var bytes = ByteBuffer()

        func write(_ buffer: ByteBuffer) async throws { bytes.writeImmutableBuffer(buffer) }

        func finish(_ trailers: HTTPFields?) async throws {}
    }
}
