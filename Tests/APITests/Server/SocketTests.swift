import Foundation
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

/// What comes over a socket and is no request that a handler sees.
@Suite(.database, .timeLimit(.minutes(10))) struct SocketTests {
    private static func with(
        limits: EdgeLimits = EdgeLimits(),
        _ body: @escaping @Sendable (TestServer, Int?) async throws -> Void
    ) async throws {
        try await TestServer.with {
            $0.setup = .live
            $0.limits = limits
        } _: { server in
            try await body(server, server.client.port)
            // Whatever came, the process lives on and answers.
            let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let answer = try await Self.answer(to: request, port: server.client.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }

    /// Says something, and hears what the server says before it closes the connection.
    private static func answer(to text: String, port: Int?) async throws -> String {
        try await RawConnection.with(port: port) { connection in
            try await connection.say(text)
            return await connection.readAll()
        }
    }

    @Test func `what is not HTTP is told so, and the connection closed`() async throws {
        try await Self.with { _, port in
            let garbage = [
                "hello\r\n\r\n", "GET\r\n\r\n", "GET /healthz\r\n\r\n", "GET /healthz HTTP/9.9\r\n\r\n",
                "\0\0\0\0\0\0\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n", "BREW /coffee HTTP/4\r\n\r\n", "B(EW /coffee HTTP/1.1\r\n\r\n",
            ]
            for text in garbage {
                let answer = try await Self.answer(to: text, port: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(text.debugDescription) \(answer)")
                #expect(answer.contains("Connection: close"), "\(text.debugDescription)")
            }
            let hello: [UInt8] =
                [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] + (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            _ = try await RawConnection.with(port: port) { connection in
                try await connection.say(hello)
                return await connection.readAll()
            }
        }
    }

    @Test func `too many and too large headers are refused with a problem document`() async throws {
        try await Self.with { _, port in
            let many = { (count: Int) in (0..<count).map { "X-\($0): 1\r\n" }.joined() }
            let headers = [
                many(101), many(1_000), many(70_000), "X: \(String(repeating: "a", count: 9_000))\r\n",
                "\(String(repeating: "a", count: 9_000)): 1\r\n",
                (0..<5).map { "X-\($0): \(String(repeating: "a", count: 4_000))\r\n" }.joined(),
            ]
            for text in headers {
                let answer = try await Self.answer(to: "GET /healthz HTTP/1.1\r\nHost: x\r\n\(text)\r\n", port: port)
                // A client that still talks while it is refused may find the connection reset.
                guard !answer.isEmpty else { continue }
                #expect(answer.hasPrefix("HTTP/1.1 400 "))
                #expect(answer.contains("application/problem+json"))
                #expect(answer.contains(#""code":"malformedRequest""#))
                #expect(answer.contains("X-Request-Id: "))
            }
            let fine = try await Self.answer(
                to: "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(many(90))\r\n",
                port: port
            )
            #expect(fine.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `a path without end is refused`() async throws {
        try await Self.with { _, port in
            let path = "/" + String(repeating: "a", count: 20_000)
            let answer = try await Self.answer(to: "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n", port: port)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func `odd forms of a target find no route`() async throws {
        try await Self.with { _, port in
            for line in [
                "OPTIONS * HTTP/1.1", "CONNECT example.org:443 HTTP/1.1", "GET http:// HTTP/1.1", "GET //// HTTP/1.1",
            ] {
                let answer = try await Self.answer(to: "\(line)\r\nHost: x\r\nConnection: close\r\n\r\n", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 40"), "\(line): \(answer)")
            }
            let absolute = "GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            #expect(try await Self.answer(to: absolute, port: port).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `a body that says to be too large is refused before it is sent`() async throws {
        try await Self.with { _, port in
            try await RawConnection.with(port: port) { connection in
                try await connection.say("POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n")
                let answer = await connection.read(until: "payloadTooLarge")
                #expect(answer.hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test func `a body that grows too large is refused while it streams`() async throws {
        try await Self.with { _, port in
            try await RawConnection.with(port: port) { connection in
                try await connection.say(
                    "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
                let chunk = "10000\r\n\(String(repeating: " ", count: 65_536))\r\n"
                for _ in 0..<17 { try await connection.say(chunk) }
                let answer = await connection.read(until: "payloadTooLarge")
                #expect(answer.hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test func `a body is read up to what its route takes: 16 KiB with credentials, 1 MiB elsewhere`() async throws {
        try await Self.with { server, _ in
            func padded(_ body: String, to size: Int) -> String {
                body + String(repeating: " ", count: size - body.utf8.count)
            }
            let login = padded(#"{"email": "a@example.org", "password": "x"}"#, to: 16_384)
            try await server.send(.post, "/v1/auth/login", text: login).expect(.invalidCredentials)
            try await server.send(.post, "/v1/auth/login", text: login + " ").expect(.payloadTooLarge)
            let ada = try await server.register()
            let group = padded("{}", to: 1_048_576)
            try await ada.send(.put, "/v1/conversations/\(WireID())", text: group).expect(.validationFailed)
            try await ada.send(.put, "/v1/conversations/\(WireID())", text: group + " ").expect(.payloadTooLarge)
        }
    }

    @Test func `a body that came along in pieces is held to its route as well`() async throws {
        try await Self.with { _, port in
            let body = String(repeating: " ", count: 16_385)
            let answer = try await Self.answer(
                to: "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "4001\r\n\(body)\r\n0\r\n\r\n",
                port: port
            )
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `bodies that would take more memory than all may are refused`() async throws {
        var limits = EdgeLimits()
        limits.bodyMemory = 2_000
        try await Self.with(limits: limits) { _, port in
            // The first 4 KiB of each count for nothing.
            let head = "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 8000\r\n\r\n"
            try await RawConnection.with(port: port) { connection in
                // In two parts, so that the head comes without the body.
                try await connection.say(head + " ")
                try await connection.say(String(repeating: " ", count: 7_000))
                let answer = await connection.read(until: "overloaded")
                #expect(answer.hasPrefix("HTTP/1.1 503 "))
                #expect(answer.lowercased().contains("retry-after: "))
            }
        }
    }

    @Test func `one caller takes no more than a share of what bodies may take`() async throws {
        var limits = EdgeLimits()
        limits.bodyMemory = 4 << 20
        try await Self.with(limits: limits) { server, port in
            let (greedy, other) = (try await server.register(), try await server.register())
            @Sendable func unfinished(_ person: Person, bytes: Int) -> String {
                let fields =
                    "Host: x\r\nAuthorization: Bearer \(person.session.accessToken)\r\nContent-Length: 1000000\r\n"
                return "POST /v1/receipts HTTP/1.1\r\n\(fields)\r\n" + String(repeating: " ", count: bytes)
            }
            try await withThrowingTaskGroup(of: String.self) { group in
                // Both together are more than a quarter, and less than half of all.
                for _ in 0..<2 {
                    group.addTask {
                        try await RawConnection.with(port: port) { connection in
                            try await connection.say(unfinished(greedy, bytes: 900_000))
                            return await connection.read(until: "overloaded")
                        }
                    }
                }
                let answer = try await group.next() ?? ""
                #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
                let received = try await RawConnection.with(port: port) { connection in
                    try await connection.say(unfinished(other, bytes: 1_000_000))
                    return await connection.read(until: "malformedRequest")
                }
                #expect(received.hasPrefix("HTTP/1.1 400 "), "\(received)")
                group.cancelAll()
            }
        }
    }

    @Test func `a body that drips in is cut off`() async throws {
        var limits = EdgeLimits()
        limits.bodyDeadline = .milliseconds(300)
        try await Self.with(limits: limits) { _, port in
            let answer = try await RawConnection.with(port: port) { connection in
                try await connection.say("POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
                return await connection.readAll()
            }
            #expect(answer.isEmpty)
        }
    }

    @Test func `who says nothing, or not all, is cut off`() async throws {
        var limits = EdgeLimits()
        limits.idleTimeout = .milliseconds(300)
        try await Self.with(limits: limits) { _, port in
            for text in ["", "GET /healthz", "GET /healthz HTTP/1.1\r\nHost: x\r\n"] {
                let answer = try await RawConnection.with(port: port) { connection in
                    // On a slow machine the time is over before anything is said.
                    try? await connection.say(text)
                    return await connection.readAll()
                }
                #expect(answer.isEmpty)
            }
        }
    }

    @Test func `a broken body closes the connection`() async throws {
        try await Self.with { _, port in
            let head = "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            let answer = try await Self.answer(to: head + "zz\r\n{}\r\n0\r\n\r\n", port: port)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func `requests may follow each other closely, and garbage after them changes no answer`() async throws {
        try await Self.with { _, port in
            let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            let answers = try await Self.answer(to: request + request + "garbage\r\n\r\n", port: port)
            #expect(answers.components(separatedBy: "HTTP/1.1 200 ").count == 3)
            #expect(answers.components(separatedBy: "HTTP/1.1 400 ").count == 2)
            let two = try await RawConnection.with(port: port) { connection in
                try await connection.say(
                    request + request.replacingOccurrences(of: "\r\n\r\n", with: "\r\nConnection: close\r\n\r\n")
                )
                return await connection.readAll()
            }
            #expect(two.components(separatedBy: "HTTP/1.1 200 ").count == 3)
        }
    }

    @Test func `bytes that are not UTF-8 are no JSON`() async throws {
        try await Self.with { _, port in
            let body: [UInt8] = Array(#"{"email": ""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8)
            let answer = try await RawConnection.with(port: port) { connection in
                try await connection.say(
                    "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n"
                )
                try await connection.say(body)
                return await connection.readAll()
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(answer.contains("not UTF-8 at byte"))
        }
    }
}
