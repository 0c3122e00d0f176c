import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Identity
import Messaging
import NIOCore
import ParleyWire
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Live

/// How streams begin and end.
@Suite(.database, .timeLimit(.minutes(10))) struct StreamLifeTests {
    @Test func `a server that stops says goodbye to every stream and then stops`() async throws {
        let streams = Mutex<[LiveStream]>([])
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            for _ in 0..<3 {
                let stream = try await server.readyStream(of: ada)
                streams.withLock { $0.append(stream) }
            }
        }
        for stream in streams.withLock({ $0 }) {
            let last = await stream.rest().last
            guard case .goAway(let goodbye) = try last.map({ try StreamEvent($0) }) else {
                Issue.record("no goodbye but \(last?.name ?? "nothing")")
                continue
            }
            #expect(goodbye.reason == .draining)
            #expect((0...5_000).contains(goodbye.reconnectInMs))
            try await stream.isClosed()
        }
    }

    @Test func `a client that goes is noticed at once`() async throws {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            let streams = [try await server.readyStream(of: ada), try await server.readyStream(of: ada)]
            #expect(server.hub.openStreams == 2)
            for stream in streams { stream.cut() }
            while server.hub.openStreams > 0 { await Task.yield() }
        }
    }

    @Test(arguments: ["", "Connection: Upgrade\r\nUpgrade: h2c\r\n"])
    func `a stream that ends closes its connection, whatever the client has said behind it`(fields: String) async throws
    {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            let request = "GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.token)\r\n\(fields)\r\n"
            try await RawConnection.with(port: server.port) { connection in
                try await connection.say(request + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = await connection.read(until: "event: ready")
                server.hub.drain()
                let rest = await connection.readAll()
                #expect(rest.contains("event: goaway"))
                #expect(!rest.contains("HTTP/1.1"))
            }
            // And where the client ends it.
            try await RawConnection.with(port: server.port) { connection in
                try await connection.say(request)
                _ = await connection.read(until: "event: ready")
                connection.finish()
                _ = await connection.readAll()
            }
        }
    }

    @Test func `a session that ends takes its streams with it, and no others`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let stream = try await server.readyStream(of: people[0])
            let other = try await server.readyStream(of: people[1])
            let caller = AuthenticatedUser(
                userID: people[0].id,
                sessionID: people[0].session,
                tokenExpiresAt: .distantFuture
            )
            try await server.identity.logout(caller)
            let last = await stream.rest().last
            #expect(last?.name == "goaway")
            #expect(last?.data.contains("revoked") == true)
            try await server.say("Still here", people[2], in: group)
            try await other.skip(to: .messageCreated)
        }
    }

    @Test func `the ninth stream of a session replaces the first`() async throws {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            let first = try await server.readyStream(of: ada)
            for _ in 0..<8 { _ = try await server.readyStream(of: ada) }
            let last = await first.rest().last
            #expect(last?.name == "goaway")
            #expect(last?.data.contains("replaced") == true)
            try await first.isClosed()
            #expect(server.hub.openStreams == 8)
        }
    }

    @Test func `a stream ends with its access token`() async throws {
        try await LiveServer.with {
            // As long as a busy machine may need until the stream is open.
            $0.tokenLifetime = .seconds(10)
        } _: { server in
            let stream = try await server.stream(of: try await server.person("Ada"))
            let last = await stream.rest().last
            #expect(last?.name == "goaway")
            #expect(last?.data.contains("tokenExpired") == true)
        }
    }

    @Test func `a client that takes nothing for long is cut`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let stream = try await server.stream(of: people[0], receiveBuffer: 8 * 1_024)
            try await stream.skip(to: .ready)
            try await stream.stall(true)
            let text = String(repeating: "🐌", count: 10_000)
            for _ in 0..<200 { try await server.say(text, people[1], in: group) }
            // Looks that come faster than the clock's.
            while server.hub.openStreams > 0 {
                server.hub.checkStalls()
                await Task.yield()
            }
        }
    }

    @Test func `a client that waits for its turn hears so, is not taken for stalled, and leaves without one`()
        async throws
    {
        try await LiveServer.with {
            $0.limits.catchUps = 1
            $0.limits.heartbeat = .milliseconds(1)
        } _: { server in
            let ada = try await server.person("Ada")
            let turnstile = server.hub.turnstile
            let gate = AsyncStream.makeStream(of: Void.self)
            let holder = Task { try await turnstile.pass { _ = await gate.stream.first { _ in true } } }
            while turnstile.free > 0 { await Task.yield() }
            try await RawConnection.with(port: server.port) { connection in
                try await connection.say(
                    "GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.token)\r\n\r\n"
                )
                _ = await connection.read(until: ": heartbeat")
                #expect(turnstile.waiting == 1)
                // More looks than a client may stall for, and something that it takes between any two of them.
                for _ in 0..<100 {
                    server.hub.checkStalls()
                    _ = await connection.read(until: ": heartbeat")
                }
                #expect(server.hub.openStreams == 1)
            }
            while turnstile.waiting > 0 || server.hub.openStreams > 0 { await Task.yield() }
            gate.continuation.yield()
            try await holder.value
            _ = try await server.readyStream(of: ada)
        }
    }

    @Test func `where too many come back, newcomers are told when to come, and streams say goodbye`() async throws {
        try await LiveServer.with {
            $0.limits.waitingCatchUps = 0
        } _: { server in
            let refused = try await server.get("/v1/stream", as: try await server.person("Ada"))
            #expect(refused.status == .serviceUnavailable)
            #expect(refused.headers[.retryAfter].flatMap { Int($0) }.map { (2...10).contains($0) } == true)
            #expect(String(buffer: refused.body).contains("overloaded"))
        }
    }

    @Test func `who begins anew comes to the same line as who comes back`() async throws {
        try await LiveServer.with {
            $0.limits.catchUps = 1
            $0.limits.waitingCatchUps = 0
        } _: { server in
            let ada = try await server.person("Ada")
            let epoch = server.eventStore.identity.epoch &+ 1
            let elsewhere = Cursor(epoch: epoch, all: try await server.eventStore.log.heads()).text
            let turnstile = server.hub.turnstile
            let gate = AsyncStream.makeStream(of: Void.self)
            let holder = Task { try await turnstile.pass { _ = await gate.stream.first { _ in true } } }
            while turnstile.free > 0 { await Task.yield() }
            let paths = ["/v1/sync", "/v1/sync?since=\(elsewhere)"]
            for path in paths {
                let refused = try await server.get(path, as: ada)
                #expect(refused.status == .serviceUnavailable, "\(path)")
                #expect(refused.headers[.retryAfter].flatMap { Int($0) }.map { (2...10).contains($0) } == true)
            }
            gate.continuation.yield()
            try await holder.value
            for path in paths { #expect(try await server.get(path, as: ada).status == .ok, "\(path)") }
        }
    }

    @Test func `a stream that falls behind is not sent away, however many wait`() async throws {
        try await LiveServer.with {
            $0.limits.catchUps = 1
            $0.limits.waitingCatchUps = 1
            // Who is told something live falls behind at once.
            $0.limits.bufferedChunks = 0
        } _: { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let stream = try await server.readyStream(of: people[0])
            let turnstile = server.hub.turnstile
            let gate = AsyncStream.makeStream(of: Void.self)
            let holder = Task { try await turnstile.pass { _ = await gate.stream.first { _ in true } } }
            while turnstile.free > 0 { await Task.yield() }
            let waiting = Task { try await turnstile.pass {} }
            while turnstile.waiting == 0 { await Task.yield() }
            let message = try await server.ask("behind all of them", people[1], in: group)
            // Beside who waits already, where a newcomer would be one too many.
            while turnstile.waiting == 1 { await Task.yield() }
            #expect(throws: (any Error).self) { _ = try server.hub.reserve() }
            gate.continuation.yield()
            try await holder.value
            try await waiting.value
            guard case .messageCreated(let created) = try await stream.next(.messageCreated) else { return }
            #expect(created.message.id == WireID(message))
        }
    }

    @Test func `nobody opens a stream without a token`() async throws {
        try await LiveServer.with { server in
            let nobody = LivePerson(id: UUID(), name: "Nobody", session: UUID(), token: "none")
            let response = try await server.get("/v1/stream", as: nobody)
            #expect(response.status == .unauthorized)
            #expect(server.hub.openStreams == 0)
        }
    }

    @Test func `a cursor that cannot be continued is told so, and the stream goes on from now`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let log = server.eventStore.identity
            let heads = try await server.eventStore.log.heads()
            let beyond = heads.map { $0 + 1 }
            let cursors = [
                "garbage", "AQ", String(repeating: "A", count: 5_000),
                Cursor(epoch: log.epoch &+ 1, all: heads).text,
                Cursor(epoch: log.epoch, all: beyond).text,
                Cursor(epoch: log.epoch, positions: [1: 1]).text,
                Cursor(epoch: log.epoch, all: [Int64.max, 0, 0, 0]).text,
                Cursor(epoch: log.epoch, all: heads + [0]).text,
            ]
            for (number, cursor) in cursors.enumerated() {
                let stream = try await server.stream(of: people[1], since: cursor)
                guard case .hello(let hello) = try await stream.next(.hello) else { return }
                #expect(!hello.resumed)
                let reset = await stream.next()
                #expect(reset?.name == "reset", "\(number)")
                #expect(reset?.lastID != cursor)
                try await stream.skip(to: .ready)
                try await server.say("On we go", people[0], in: group)
                try await stream.skip(to: .messageCreated)
                stream.cut()
            }
        }
    }

    @Test func `the header wins over the parameter, and either resumes`() async throws {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            let first = try await server.stream(of: ada)
            let cursor = try #require(await first.next()?.lastID)
            let byParameter = try await server.stream(of: ada, query: "?since=\(cursor)")
            guard case .hello(let hello) = try await byParameter.next(.hello) else { return }
            #expect(hello.resumed)
            let byHeader = try await server.stream(of: ada, since: cursor, query: "?since=garbage")
            guard case .hello(let resumed) = try await byHeader.next(.hello) else { return }
            #expect(resumed.resumed)
        }
    }
}
