import API
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// A server that is about to stop.
@Suite(.database, .timeLimit(.minutes(10))) struct DrainTests {
    @Test func `it answers those who are there once more, and sends newcomers elsewhere`() async throws {
        let drain = Drain()
        try await TestServer.with {
            $0.setup = .live
            $0.edge.drain = drain
        } _: { server in
            let ada = try await server.register()
            let request =
                "GET /v1/server HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.session.accessToken)\r\n\r\n"
            try await RawConnection.with(port: server.client.port) { early in
                try await early.say(request)
                #expect(!(await early.read(until: "}").lowercased().contains("connection: close")))
                drain.begin()
                try await early.say(request)
                let last = await early.readAll()
                #expect(last.hasPrefix("HTTP/1.1 200 "))
                #expect(last.lowercased().contains("connection: close\r\n"))
            }
            try await RawConnection.with(port: server.client.port) { late in
                try await late.say(request)
                let refusal = await late.readAll()
                #expect(refusal.hasPrefix("HTTP/1.1 503 "))
                #expect(refusal.lowercased().contains("connection: close\r\n"))
                #expect(refusal.lowercased().contains("retry-after: "))
            }
            try await RawConnection.with(port: server.client.port) { watcher in
                try await watcher.say("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await watcher.readAll().hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `it opens no more streams, on any connection`() async throws {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            let fields = "HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.token)\r\n\r\n"
            try await RawConnection.with(port: server.port) { early in
                try await early.say("GET /v1/sync \(fields)")
                #expect(await early.read(until: "}").hasPrefix("HTTP/1.1 200 "))
                server.dependencies.edge.drain.begin()
                try await early.say("GET /v1/stream \(fields)")
                let refusal = await early.readAll()
                #expect(refusal.contains("HTTP/1.1 503 "))
                #expect(!refusal.contains("text/event-stream"))
                #expect(refusal.lowercased().contains("connection: close\r\n"))
                #expect(refusal.lowercased().contains("retry-after: "))
            }
        }
    }
}
