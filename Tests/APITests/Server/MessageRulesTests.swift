import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// What RFC 9110 and 9112 ask of a server before any route is asked.
@Suite(.database, .timeLimit(.minutes(10))) struct MessageRulesTests {
    private static func answer(to text: String, port: Int?) async throws -> String {
        try await RawConnection.with(port: port) { connection in
            try await connection.say(text)
            return await connection.readAll()
        }
    }

    private static func live(_ body: @escaping @Sendable (Int?) async throws -> Void) async throws {
        try await TestServer.with {
            $0.setup = .live
        } _: {
            try await body($0.client.port)
        }
    }

    @Test func `HTTP 1.1 names one valid host, or is refused`() async throws {
        try await Self.live { port in
            let bad = [
                "", "Host:\r\n", "Host: :80\r\n", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n", "Host: a b\r\n",
                "Host: a/b\r\n",
                "Host: user@a\r\n", "Host: a:80:80\r\n", "Host: [::1\r\n", "Host: a:x\r\n", "Host: a, b\r\n",
            ]
            for fields in bad {
                let answer = try await Self.answer(to: "GET /healthz HTTP/1.1\r\n\(fields)\r\n", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(fields.debugDescription): \(answer)")
                #expect(answer.contains(#""code":"malformedRequest""#))
                #expect(answer.contains("\r\nConnection: close\r\n"))
            }
            for host in ["a", "a:8080", "[::1]:80", "chat.example.org.", "a_b", "%C3%A4:"] {
                let request = "GET /healthz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
                #expect(try await Self.answer(to: request, port: port).hasPrefix("HTTP/1.1 200 "), "\(host)")
            }
        }
    }

    @Test(arguments: [
        "GET http:///healthz HTTP/1.1", "GET http://:80/healthz HTTP/1.1", "GET http://a@b/healthz HTTP/1.1",
        "GET  /healthz HTTP/1.1", "GET /healthz  HTTP/1.1",
    ])
    func `a line that names no target as it must is refused, wherever it stands`(line: String) async throws {
        try await Self.live { port in
            let bad = "\(line)\r\nHost: x\r\n\r\n"
            let good = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            let (head, body) = ("POST /v1/auth/login HTTP/1.1\r\nHost: x\r\n", "2\r\n{}\r\n0\r\n\r\n")
            for before in [
                "", good, "\(head)Content-Length: 2\r\n\r\n{}", "\(head)Transfer-Encoding: chunked\r\n\r\n\(body)",
            ] {
                let received = try await Self.answer(to: before + bad, port: port)
                let answers = received.components(separatedBy: "HTTP/1.1 ").dropFirst()
                #expect(answers.count == (before.isEmpty ? 1 : 2), "\(received)")
                #expect(answers.last?.hasPrefix("400 ") == true, "\(before)\(line): \(received)")
            }
        }
    }

    @Test func `what looks like a line with two spaces may stand in a body`() async throws {
        try await Self.live { port in
            let post = "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\n"
            let text = "\r\n\r\nGET  /x HTTP/1.1\r\n\r\n"
            let size = String(text.utf8.count, radix: 16)
            let requests =
                "\(post)Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
                + "\(post)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(text)\r\n0\r\n\r\n"
                + "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            for cut in stride(from: 1, to: requests.utf8.count, by: 7) {
                let bytes = Array(requests.utf8)
                let received = try await RawConnection.with(port: port) { connection in
                    try await connection.say(Array(bytes[..<cut]))
                    try await connection.say(Array(bytes[cut...]))
                    return await connection.readAll()
                }
                #expect(received.components(separatedBy: "HTTP/1.1 400 ").count == 3, "\(cut): \(received)")
                #expect(received.contains("HTTP/1.1 200 "), "\(cut): \(received)")
            }
        }
    }

    @Test func `behind a good request a bad host is refused in its turn`() async throws {
        try await Self.live { port in
            let requests = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n"
            let received = try await Self.answer(to: requests, port: port)
            #expect(received.hasPrefix("HTTP/1.1 200 "))
            #expect(received.contains("HTTP/1.1 400 "))
        }
    }

    @Test func `of codings there is one, and what the parser has gone by is plain`() async throws {
        try await Self.live { port in
            let bad = [
                "Transfer-Encoding: gzip, chunked", "Transfer-Encoding:", "Transfer-Encoding: identity",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Connection: clöse",
            ]
            for field in bad {
                let request = "POST /v1/receipts HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n0\r\n\r\n"
                let answer = try await Self.answer(to: request, port: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(field): \(answer)")
            }
        }
    }

    /// Swift compares such text in the square of its length.
    @Test func `a letter with thousands of marks is compared with nothing`() async throws {
        let marks = "a" + String(repeating: "\u{315}\u{301}", count: 1_500)
        try await Self.live { port in
            let fields = "Content-Type: \(marks)\r\nX-Note: \(marks)\r\nConnection: close\r\n"
            let request = "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: 2\r\n\r\n{}"
            let answer = try await Self.answer(to: request, port: port)
            #expect(answer.hasPrefix("HTTP/1.1 415 "), "\(answer)")
        }
    }

    @Test func `a connection ends as its client asks, whatever white space stands around that`() async throws {
        try await Self.live { port in
            for fields in [
                "Connection: x,\tclose", "Connection: x ,\t close\t", "Connection: x,\tupgrade\r\nUpgrade: y",
            ] {
                let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n"
                let answer = try await Self.answer(to: request, port: port)
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("\r\nConnection: close\r\n"), "\(fields)")
            }
        }
    }

    @Test func `an answer to HEAD ends with its head, whatever it says`() async throws {
        try await Self.live { port in
            for path in ["/nope", "/v1/me", "/v1/auth/login"] {
                let requests = "HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\n"
                let next = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                let answer = try await Self.answer(to: requests + next, port: port)
                let parts = answer.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
                #expect(
                    parts.first?.hasPrefix("HTTP/1.1 4") == true && parts.first?.contains("Content-Length: ") == true
                )
                #expect(parts.dropFirst().first?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer)")
            }
        }
    }

    @Test func `a length beyond all numbers is too large at once`() async throws {
        try await Self.live { port in
            let fields = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 18446744073709551615\r\n"
            let request = "POST /v1/auth/login HTTP/1.1\r\n\(fields)\r\n"
            let answer = try await RawConnection.with(port: port) { connection in
                try await connection.say(request)
                return await connection.read(until: "payloadTooLarge")
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
        }
    }

    @Test func `HTTP 1.0 needs no host and gets one answer that ends with the connection`() async throws {
        try await Self.live { port in
            let fields = ["", "Host: x\r\n", "Connection: keep-alive\r\n", "Expect: 100-continue\r\n"]
            for fields in fields {
                let request = "GET /healthz HTTP/1.0\r\n\(fields)\r\nGET /healthz HTTP/1.0\r\n\r\n"
                let answer = try await Self.answer(to: request, port: port)
                #expect(answer.hasPrefix("HTTP/1.0 200 "), "\(answer)")
                #expect(answer.contains("\r\nConnection: close\r\n"))
                #expect(answer.components(separatedBy: "HTTP/1.0").count == 2)
                #expect(answer.hasSuffix(#"{"status":"ok"}"#))
            }
            let refused = ["Host: a\r\nHost: b\r\n", "Transfer-Encoding: chunked\r\n"]
            for fields in refused {
                let answer = try await Self.answer(to: "GET /healthz HTTP/1.0\r\n\(fields)\r\n", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(fields)")
            }
        }
    }

    @Test func `an answer of unknown length has no chunks for HTTP 1.0`() async throws {
        try await TestServer.with {
            $0.setup = .live
            $0.privateRoutes = { routes in
                routes.get("endless") { _, _ in
                    .init(
                        status: .ok,
                        body: .init { writer in
                            try await writer.write(.init(string: "one "))
                            try await writer.write(.init(string: "two"))
                            try await writer.finish(nil)
                        }
                    )
                }
            }
        } _: { server in
            let ada = try await server.register()
            let fields = "Authorization: Bearer \(ada.session.accessToken)\r\n"
            let old = "GET /v1/endless HTTP/1.0\r\n\(fields)\r\n"
            let answer = try await Self.answer(to: old, port: server.client.port)
            #expect(answer.hasPrefix("HTTP/1.0 200 "), "\(answer)")
            #expect(!answer.lowercased().contains("transfer-encoding"))
            #expect(answer.hasSuffix("\r\n\r\none two"))
            let new = "GET /v1/endless HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n"
            #expect(try await Self.answer(to: new, port: server.client.port).hasSuffix("0\r\n\r\n"))
        }
    }

    @Test(arguments: ["TRACE", "FOO", "BREW", "get", "PROPFIND", "X-1", "VERYLONGMETHODINDEED"])
    func `a method that nothing answers to is told which do`(method: String) async throws {
        try await Self.live { port in
            let request = "\(method) /v1/me?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let answer = try await Self.answer(to: request, port: port)
            #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(answer)")
            #expect(answer.contains("\r\nAllow: DELETE, GET, HEAD, PATCH\r\n"))
            #expect(answer.contains(#""code":"methodNotAllowed""#))
            #expect(answer.contains("X-Request-Id: "))
            #expect(answer.contains("\r\nConnection: close\r\n"))
            let nowhere = "\(method) /coffee HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            #expect(try await Self.answer(to: nowhere, port: port).hasPrefix("HTTP/1.1 404 "))
            for fields in ["", "Host: \r\n", "Host: x\r\nhost: y\r\n", "Host: a b\r\n"] {
                let request = "\(method) /v1/me HTTP/1.1\r\n\(fields)\r\n"
                let answer = try await Self.answer(to: request, port: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(fields): \(answer)")
            }
        }
    }
}
