import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

/// Clients that hold on to connections: each is ended by the bound that is meant for it, since all others are far off.
@Suite(.database, .timeLimit(.minutes(10))) struct ConnectionTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let post = "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\n"

    private static func with(
        _ configure: (inout TestServer.Options) -> Void,
        _ body: @escaping @Sendable (TestServer, Int?) async throws -> Void
    ) async throws {
        try await TestServer.with {
            $0.setup = .live
            configure(&$0)
        } _: { server in
            try await body(server, server.client.port)
        }
    }

    /// A connection whose first request has been answered: on a busy machine one may be ended before it says a word, and
    /// the next is tried.
    private static func withAnswered(
        port: Int?,
        _ body: @Sendable (RawConnection) async throws -> Void
    ) async throws {
        for _ in 1...100 {
            let isAnswered = try await RawConnection.with(port: port) { connection in
                try? await connection.say(request)
                guard await connection.read(until: "ok").hasPrefix("HTTP/1.1 200 ") else { return false }
                try await body(connection)
                return true
            }
            if isAnswered { return }
        }
        Issue.record("no connection was answered within its deadline")
    }

    @Test(arguments: ["", "GET /healthz", "GET /healthz HTTP/1.1\r\nHost: x\r\n"])
    func `a head that does not come is waited for only so long`(start: String) async throws {
        try await Self.with {
            $0.limits.headerDeadline = .milliseconds(200)
        } _: { _, port in
            try await RawConnection.with(port: port) { connection in
                // Too late on a busy machine: then it was ended for saying nothing.
                if !start.isEmpty { try? await connection.say(start) }
                #expect(await connection.readAll() == "")
            }
        }
    }

    @Test func `the head of a later request has its deadline from its first byte`() async throws {
        try await Self.with {
            $0.limits.headerDeadline = .milliseconds(200)
        } _: { _, port in
            try await Self.withAnswered(port: port) { connection in
                try await connection.say("GET /hea")
                #expect(await connection.readAll() == "")
            }
        }
    }

    @Test(arguments: [
        request, post + "Content-Length: 2\r\n\r\n{}", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ])
    func `a head that begins behind a whole request has its deadline`(whole: String) async throws {
        try await Self.with {
            $0.limits.headerDeadline = .milliseconds(200)
        } _: { _, port in
            try await Self.withAnswered(port: port) { connection in
                try await connection.say(whole + "GET /hea")
                let received = await connection.readAll()
                #expect(received.components(separatedBy: "HTTP/1.1 ").count == 2, "\(received)")
            }
        }
    }

    @Test func `a head behind chunks has its deadline, though the one before came in parts`() async throws {
        try await Self.with {
            $0.limits.headerDeadline = .milliseconds(200)
        } _: { _, port in
            try await Self.withAnswered(port: port) { connection in
                try await connection.say(Self.post + "Transfer-Enco")
                try await connection.say("ding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET /hea")
                let received = await connection.readAll()
                #expect(received.components(separatedBy: "HTTP/1.1 ").count == 2, "\(received)")
            }
        }
    }

    @Test func `a connection between requests is not hurried`() async throws {
        try await Self.with {
            $0.limits.headerDeadline = .milliseconds(100)
        } _: { _, port in
            try await Self.withAnswered(port: port) { patient in
                // One that says nothing is ended meanwhile.
                try await RawConnection.with(port: port) { #expect(await $0.readAll() == "") }
                try await patient.say(Self.request)
                #expect(await patient.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test(arguments: ["Content-Length: 1000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"])
    func `a body that does not come is waited for only so long`(rest: String) async throws {
        try await Self.with {
            $0.limits.bodyDeadline = .milliseconds(300)
            $0.limits.minBodyRate = 0
        } _: { _, port in
            try await RawConnection.with(port: port) { connection in
                try await connection.say(Self.post + rest)
                #expect(await connection.readAll() == "")
            }
        }
    }

    @Test func `a body that comes too slowly is not waited for`() async throws {
        try await Self.with {
            $0.limits.bodyDeadline = .seconds(6)
            $0.limits.minBodyRate = 100_000
        } _: { _, port in
            try await RawConnection.with(port: port) { connection in
                try await connection.say(Self.post + "Content-Length: 16000\r\n\r\n")
                try await connection.say(String(repeating: " ", count: 1_000))
                #expect(await connection.readAll() == "")
            }
        }
    }

    @Test func `an answer that is not taken is given up`() async throws {
        let closed = AsyncStream<Void>.makeStream()
        try await Self.with {
            $0.limits.answerDeadline = .milliseconds(300)
            $0.privateRoutes = { group in
                group.get("large") { _, context in
                    context.channel.closeFuture.whenComplete { _ in closed.continuation.yield() }
                    return Response(
                        status: .ok,
                        body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x20, count: 64 << 20))
                    )
                }
            }
        } _: { server, port in
            let ada = try await server.register()
            try await RawConnection.with(port: port) { connection in
                try await connection.say(
                    "GET /v1/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.session.accessToken)\r\n\r\n"
                )
                _ = await closed.stream.first { _ in true }
            }
        }
    }

    @Test func `who sends too many requests ahead gets the first answers`() async throws {
        try await Self.with {
            $0.limits.maxPipelinedRequests = 3
        } _: { _, port in
            let answers = try await RawConnection.with(port: port) { connection in
                try await connection.say(String(repeating: Self.request, count: 10))
                return await connection.readAll()
            }
            #expect(answers.components(separatedBy: "HTTP/1.1 200 ").count == 4)
            #expect(answers.hasSuffix(#"{"status":"ok"}"#))
        }
    }

    @Test(arguments: [true, false])
    func `connections beyond a cap are closed at once`(isPerAddress: Bool) async throws {
        try await Self.with {
            // The test's own client has one.
            $0.limits.maxConnectionsPerAddress = isPerAddress ? 3 : nil
            $0.limits.maxConnections = isPerAddress ? 100 : 3
        } _: { server, port in
            try await Self.fill(2, port: port) {
                // Were it idle for long, it would have none.
                _ = try await server.send(.get, "/healthz")
                for _ in 0..<3 { #expect(await Self.answer(port: port) == "") }
            }
            // Those that have gone make room.
            var answer = ""
            while answer.isEmpty { answer = await Self.answer(port: port) }
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `a trusted proxy has no cap of its own`() async throws {
        try await Self.with {
            $0.limits.maxConnectionsPerAddress = 2
            $0.edge.trustedProxies = TrustedProxies(["127.0.0.1"]) ?? .none
        } _: { _, port in
            try await Self.fill(5, port: port) {}
        }
    }

    @Test func `hundreds of idle connections leave nothing behind`() async throws {
        let closed = AsyncStream<Void>.makeStream()
        try await Self.with {
            $0.privateRoutes = { group in
                group.get("here") { _, context in
                    context.channel.closeFuture.whenComplete { _ in closed.continuation.yield() }
                    return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "here")))
                }
            }
        } _: { server, port in
            let ada = try await server.register()
            let request =
                "GET /v1/here HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.session.accessToken)\r\n\r\n"
            try await Self.fill(300, port: port, with: request) {}
            var left = 300
            for await _ in closed.stream {
                left -= 1
                if left == 0 { break }
            }
        }
    }

    /// What a request on a connection of its own is answered; nothing where the connection is closed, however early.
    private static func answer(port: Int?) async -> String {
        let answer = try? await RawConnection.with(port: port) { connection in
            try await connection.say(Self.request)
            return await connection.read(until: "ok")
        }
        return answer ?? ""
    }

    /// Runs something while so many connections are open and have been answered.
    private static func fill(
        _ count: Int,
        port: Int?,
        with request: String = Self.request,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await RawConnection.with(port: port) { connection in
            try await connection.say(request)
            #expect(await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            try await fill(count - 1, port: port, with: request, body)
        }
    }
}
