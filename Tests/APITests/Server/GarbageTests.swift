import Foundation
import HummingbirdTesting
import TestSupport
import Testing

/// What is not HTTP, behind what is.
@Suite(.database, .timeLimit(.minutes(10))) struct GarbageTests {
    @Test(arguments: [
        ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "garbage\r\n\r\n", 1),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "\0\0\0\r\n\r\n", 2),
        ("POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "zz\r\n{}\r\n", 0),
        (
            "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
            "fffffffffffffffff\r\n{}", 0
        ),
        ("POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n", "\r\n{}", 0),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "FOO /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 1),
    ])
    func `is told in a problem document, after the answers before it`(
        good: String,
        garbage: String,
        answered: Int
    ) async throws {
        try await TestServer.with {
            $0.setup = .live
        } _: { server in
            let received = try await RawConnection.with(port: server.client.port) { connection in
                try await connection.say(good + garbage)
                return await connection.readAll()
            }
            #expect(received.components(separatedBy: "HTTP/1.1 200 ").count == answered + 1)
            let refusal = try #require(received.components(separatedBy: "HTTP/1.1 400 ").last)
            #expect(received.components(separatedBy: "HTTP/1.1 400 ").count == 2)
            #expect(refusal.contains("\r\nConnection: close\r\n"))
            #expect(refusal.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
            #expect(refusal.contains("\r\nContent-Type: application/problem+json\r\n"))
            #expect(refusal.contains(#""code":"malformedRequest""#))
            #expect(refusal.hasSuffix("}"))
        }
    }
}
