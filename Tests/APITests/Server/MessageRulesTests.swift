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
            return await connection.hearAll()
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

    @Test func `behind a good request a bad host is refused in its turn`() async throws {
        try await Self.live { port in
            let requests = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n"
            let heard = try await Self.answer(to: requests, port: port)
            #expect(heard.hasPrefix("HTTP/1.1 200 "))
            #expect(heard.contains("HTTP/1.1 400 "))
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
        }
    }
}
