import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Edge

/// Requests and answers that do not come in one piece.
@Suite(.database, .timeLimit(.minutes(10))) struct ExchangeTests {
    /// Two of them wait for the end of a connection whose body never comes.
    private static var waiting: EdgeLimits {
        var limits = EdgeLimits.patient
        limits.bodyDeadline = EdgeLimits().bodyDeadline
        return limits
    }

    private static func with(
        limits: EdgeLimits = waiting,
        _ routes: @escaping @Sendable (Routes<CallerContext>) -> Void,
        _ body: @escaping @Sendable (RawConnection, String) async throws -> Void
    ) async throws {
        try await TestServer.with {
            $0.setup = .live
            $0.limits = limits
            $0.privateRoutes = routes
        } _: { server in
            let ada = try await server.register()
            let fields = "Host: x\r\nAuthorization: Bearer \(ada.session.accessToken)\r\n"
            try await RawConnection.with(port: server.client.port) { try await body($0, fields) }
        }
    }

    private static func answer(_ text: String) -> Response {
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    @Test func `a body that comes after its head is waited for`() async throws {
        let asked = AsyncStream<Void>.makeStream()
        try await Self.with { group in
            group.post("echo") { request, _ in
                asked.continuation.yield()
                return Self.answer(String(buffer: try await request.body.collect(upTo: 100)))
            }
        } _: { connection, fields in
            // Twice, as the second request comes behind an end of its own.
            var asked = asked.stream.makeAsyncIterator()
            for word in ["first", "other"] {
                try await connection.say("POST /v1/echo HTTP/1.1\r\n\(fields)Content-Length: 8\r\n\r\n\(word)")
                _ = await asked.next()
                try await connection.say("...")
                #expect(await connection.read(until: "...").hasSuffix("\(word)..."))
            }
        }
    }

    @Test func `who asks whether to send a body is told so`() async throws {
        try await Self.with { group in
            group.post("echo") { request, _ in
                Self.answer(String(buffer: try await request.body.collect(upTo: 100)))
            }
        } _: { connection, fields in
            for _ in 1...2 {
                try await connection.say(
                    "POST /v1/echo HTTP/1.1\r\n\(fields)Expect: 100-continue\r\nContent-Length: 4\r\n\r\n"
                )
                #expect(await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                try await connection.say("body")
                let answer = await connection.read(until: "body")
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
                #expect(answer.hasSuffix("body"))
            }
            // Nobody wants that of a request that is refused.
            try await connection.say(
                "POST /v1/nope HTTP/1.1\r\n\(fields)Expect: 100-continue\r\nContent-Length: 4\r\n\r\n"
            )
            #expect(await connection.read(until: "not_found").hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test func `a body that nobody reads is passed over`() async throws {
        let asked = AsyncStream<Void>.makeStream()
        try await Self.with { group in
            group.on(.post, "deaf", body: .streamed(upTo: 4 << 20)) { _, _ in
                asked.continuation.yield()
                return Self.answer("unread")
            }
        } _: { connection, fields in
            var asked = asked.stream.makeAsyncIterator()
            let size = 3 << 20
            try await connection.say("POST /v1/deaf HTTP/1.1\r\n\(fields)Content-Length: \(size)\r\n\r\n")
            _ = await asked.next()
            #expect(await connection.read(until: "unread").hasPrefix("HTTP/1.1 200 "))
            try await connection.say([UInt8](repeating: 0x20, count: size))
            try await connection.say("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await connection.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `a streamed body of any size passes through little memory, and waits for its reader`() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        var limits = Self.waiting
        limits.bodyMemory = 256 * 1_024
        try await Self.with(limits: limits) { group in
            group.on(.put, "upload", body: .streamed(upTo: 4 << 20)) { request, _ in
                // Nothing more comes in meanwhile than there is room for.
                _ = await gate.stream.first { _ in true }
                var size = 0
                for try await piece in request.body { size += piece.readableBytes }
                return Self.answer("took \(size)")
            }
        } _: { connection, fields in
            for size in [3 << 20, 4 << 20] {
                try await connection.say("PUT /v1/upload HTTP/1.1\r\n\(fields)Content-Length: \(size)\r\n\r\n")
                try await connection.say([UInt8](repeating: 0x61, count: size))
                gate.continuation.yield()
                #expect(await connection.read(until: "took \(size)").hasPrefix("HTTP/1.1 200 "))
            }
            try await connection.say("PUT /v1/upload HTTP/1.1\r\n\(fields)Content-Length: \((4 << 20) + 1)\r\n\r\n")
            #expect(await connection.read(until: "payloadTooLarge").hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `a streamed body that drips in is cut off`() async throws {
        var limits = Self.waiting
        limits.bodyDeadline = .milliseconds(300)
        try await Self.with(limits: limits) { group in
            group.on(.put, "upload", body: .streamed(upTo: 4 << 20)) { request, _ in
                for try await _ in request.body {}
                return Self.answer("whole")
            }
        } _: { connection, fields in
            try await connection.say("PUT /v1/upload HTTP/1.1\r\n\(fields)Content-Length: 1000\r\n\r\nx")
            #expect(await connection.readAll().isEmpty)
        }
    }

    @Test func `large answers that nobody takes leave room for others as soon as their clients are gone`() async throws
    {
        // More than the sockets' buffers take.
        let size = 32 << 20
        try await TestServer.with {
            $0.setup = .live
            $0.limits = Self.waiting
            $0.edge.answers = CallerBudget(limit: size + size / 2)
            $0.privateRoutes = { group in
                group.get("large") { _, _ in Self.answer(String(repeating: "x", count: size)) }
            }
        } _: { server in
            let ada = try await server.register()
            let request =
                "GET /v1/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.session.accessToken)\r\n\r\n"
            @Sendable func status() async throws -> String {
                try await RawConnection.with(port: server.client.port) { other in
                    try await other.say(request)
                    return String(await other.read(until: "\r\n\r\n").prefix(12))
                }
            }
            try await RawConnection.with(port: server.client.port) { slow in
                try await slow.say(request)
                #expect(await slow.read(until: "200 OK").hasPrefix("HTTP/1.1 200 "))
                #expect(try await status() == "HTTP/1.1 503")
                // What is small has room.
                #expect(try await ada.send(.get, "/v1/me").status == .ok)
            }
            while try await status() != "HTTP/1.1 200" { await Task.pause() }
        }
    }

    @Test func `one caller takes no more than a share of what answers may take`() async throws {
        // More than the sockets' buffers take, and more than half of a share.
        let size = 32 << 20
        try await TestServer.with {
            $0.setup = .live
            $0.limits = Self.waiting
            $0.edge.answers = CallerBudget(limit: 5 * size)
            $0.privateRoutes = { group in
                group.get("large") { _, _ in Self.answer(String(repeating: "x", count: size)) }
            }
        } _: { server in
            let (greedy, other) = (try await server.register(), try await server.register())
            @Sendable func request(_ person: Person) -> String {
                "GET /v1/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(person.session.accessToken)\r\n\r\n"
            }
            @Sendable func start(for person: Person) async throws -> String {
                try await RawConnection.with(port: server.client.port) { connection in
                    try await connection.say(request(person))
                    return await connection.read(until: "\r\n\r\n")
                }
            }
            try await RawConnection.with(port: server.client.port) { slow in
                try await slow.say(request(greedy))
                #expect(await slow.read(until: "200 OK").hasPrefix("HTTP/1.1 200 "))
                #expect(try await start(for: greedy).hasPrefix("HTTP/1.1 503 "))
                #expect(try await start(for: other).hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `a client that leaves takes the query for it along`() async throws {
        let database = TestDatabase.current
        let count: SQL = """
            SELECT count(*)::int AS n FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'
            """
        @Sendable func sleepers() async throws -> Int {
            try await database.administrator.query(count).first?.decode("n") ?? 0
        }
        var limits = Self.waiting
        limits.leavingGrace = .zero
        try await Self.with(limits: limits) { group in
            group.get("slow") { _, _ in
                _ = try await database.pool.query("SELECT pg_sleep(600)")
                return Self.answer("slow")
            }
        } _: { connection, fields in
            try await connection.say("GET /v1/slow HTTP/1.1\r\n\(fields)\r\n")
            while try await sleepers() == 0 { await Task.pause() }
            connection.finish()
            while try await sleepers() > 0 { await Task.pause() }
            // Who still listens is told that there is no answer.
            #expect(!(await connection.readAll().contains("slow")))
        }
    }

    @Test func `a statement that takes too long is not told as a database that is away`() async throws {
        let database = TestDatabase.current
        try await Self.with { group in
            group.get("late") { _, _ in
                try await database.pool.withTransaction { connection in
                    try await connection.execute("SET LOCAL statement_timeout = 100")
                    try await connection.execute("SELECT pg_sleep(600)")
                }
                return Self.answer("late")
            }
        } _: { connection, fields in
            try await connection.say("GET /v1/late HTTP/1.1\r\n\(fields)\r\n")
            let answer = await connection.read(until: "}")
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(answer.contains("overloaded") && answer.contains("took too long"), "\(answer)")
        }
    }

    @Test func `who leaves in the middle of a body is not waited for`() async throws {
        let asked = AsyncStream<Void>.makeStream()
        let ended = AsyncStream<Bool>.makeStream()
        try await Self.with { group in
            group.post("echo") { request, _ in
                asked.continuation.yield()
                do {
                    return Self.answer(String(buffer: try await request.body.collect(upTo: 100)))
                } catch {
                    ended.continuation.yield(true)
                    throw error
                }
            }
        } _: { connection, fields in
            try await connection.say("POST /v1/echo HTTP/1.1\r\n\(fields)Content-Length: 8\r\n\r\nhalf")
            _ = await asked.stream.first { _ in true }
            connection.finish()
            #expect(await ended.stream.first { _ in true } == true)
        }
    }

    @Test func `a body that breaks off behind its answer gets no second one`() async throws {
        try await Self.with { _ in
        } _: { connection, fields in
            try await connection.say("POST /v1/nope HTTP/1.1\r\n\(fields)Content-Length: 8\r\n\r\nhalf")
            #expect(await connection.read(until: "not_found").hasPrefix("HTTP/1.1 404 "))
            connection.finish()
            #expect(!(await connection.readAll().contains("HTTP/1.1")))
        }
    }

    @Test(arguments: ["GET /healthz HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", "CONNECT x:1 HTTP/1.1\r\n"])
    func `who would change the protocol is answered and let go`(head: String) async throws {
        try await Self.with { _ in
        } _: { connection, _ in
            try await connection.say(head + "Host: x\r\n\r\n")
            let answer = await connection.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 "))
            #expect(answer.lowercased().contains("connection: close\r\n"))
        }
    }

    @Test func `who has said all and waits is answered`() async throws {
        try await Self.with { group in
            group.get("word") { _, _ in Self.answer("word") }
        } _: { connection, fields in
            try await connection.say("GET /v1/word HTTP/1.1\r\n\(fields)\r\n")
            try await connection.say("GET /v1/word HTTP/1.1\r\n\(fields)\r\n")
            connection.finish()
            let answers = await connection.readAll()
            #expect(answers.components(separatedBy: "HTTP/1.1 200 ").count == 3)
            #expect(answers.hasSuffix("word"))
        }
    }

    @Test func `requests that wait for an earlier one are answered in order`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        try await Self.with { group in
            group.get("slow") { _, _ in
                _ = await gate.stream.first { _ in true }
                return Self.answer("slow")
            }
            group.post("echo") { request, _ in
                Self.answer(String(buffer: try await request.body.collect(upTo: 100)))
            }
        } _: { connection, fields in
            try await connection.say("GET /v1/slow HTTP/1.1\r\n\(fields)\r\n")
            for word in ["one", "two"] {
                try await connection.say("POST /v1/echo HTTP/1.1\r\n\(fields)Content-Length: 3\r\n\r\n\(word)")
            }
            try await connection.say("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n")
            gate.continuation.yield()
            let answers = await connection.readAll()
            let bodies = answers.components(separatedBy: "HTTP/1.1 200 ").dropFirst().map {
                $0.components(separatedBy: "\r\n\r\n").last
            }
            #expect(bodies == ["slow", "one", "two", #"{"status":"ok"}"#])
        }
    }

    @Test func `a body behind a request that is answered comes in its turn`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        try await Self.with { group in
            group.get("slow") { _, _ in
                _ = await gate.stream.first { _ in true }
                return Self.answer("slow")
            }
            group.post("echo") { request, _ in
                Self.answer(String(buffer: try await request.body.collect(upTo: 100)))
            }
        } _: { connection, fields in
            try await connection.say("GET /v1/slow HTTP/1.1\r\n\(fields)\r\n")
            try await connection.say("POST /v1/echo HTTP/1.1\r\n\(fields)Content-Length: 8\r\n\r\nhalf")
            gate.continuation.yield()
            #expect(await connection.read(until: "slow").hasSuffix("slow"))
            try await connection.say("....")
            #expect(await connection.read(until: "half....").hasSuffix("half...."))
        }
    }

    @Test(arguments: ["Connection: close\r\n", nil])
    func `an answer of any size arrives whole before the connection ends`(asking: String?) async throws {
        let size = 16 << 20
        try await Self.with { group in
            group.get("large") { _, _ in
                Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: size)))
            }
        } _: { connection, fields in
            try await connection.say("GET /v1/large HTTP/1.1\r\n\(fields)\(asking ?? "")\r\n")
            if asking == nil { connection.finish() }
            let answer = await connection.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.components(separatedBy: "\r\n\r\n").last?.utf8.count == size)
        }
    }

    @Test func `a piecewise answer that breaks off does not look whole`() async throws {
        struct Broken: Error {}
        try await Self.with { group in
            group.get("broken") { _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(string: "half"))
                        throw Broken()
                    }
                )
            }
        } _: { connection, fields in
            try await connection.say("GET /v1/broken HTTP/1.1\r\n\(fields)\r\n")
            let answer = await connection.readAll()
            #expect(answer.contains("half"))
            #expect(!answer.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func `dates are as HTTP has them`(second: Int, text: String) {
        #expect(HTTPDate.text(of: second) == text)
    }
}
