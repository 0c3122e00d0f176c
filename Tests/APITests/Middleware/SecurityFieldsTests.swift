import Foundation
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

@Suite(.database) struct SecurityFieldsTests {
    private static let fields = [
        "X-Content-Type-Options: nosniff", "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
        "Referrer-Policy: no-referrer", "X-Frame-Options: DENY", "Cross-Origin-Resource-Policy: same-origin",
        "Cache-Control: no-store",
    ]

    @Test func `every answer over a socket has them, once, whatever it answers`() async throws {
        try await TestServer.with {
            $0.setup = .live
        } _: { server in
            let requests = [
                "GET /healthz HTTP/1.1", "GET /nowhere HTTP/1.1", "DELETE /healthz HTTP/1.1", "GET /v1/me HTTP/1.1",
                "HEAD /healthz HTTP/1.1", "OPTIONS * HTTP/1.1", "GET /openapi.yaml HTTP/1.1", "no HTTP at all",
            ]
            for line in requests {
                let answer = try await RawConnection.with(port: server.client.port) { connection in
                    try await connection.say("\(line)\r\nHost: x\r\nConnection: close\r\n\r\n")
                    return await connection.readAll()
                }
                let head = answer.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
                for field in Self.fields { #expect(head.filter { $0 == field }.count == 1, "\(line): \(field)") }
                #expect(head.filter { $0.hasPrefix("X-Request-Id: ") }.count == 1, "\(line)")
                #expect(!head.contains { $0.lowercased().hasPrefix("server:") })
                #expect(!head.contains { $0.hasPrefix("Strict-Transport-Security") })
            }
        }
    }

    @Test func `a stream has them too, but for its own cache rule`() async throws {
        try await LiveServer.with { server in
            let ada = try await server.person("Ada")
            let answer = try await RawConnection.with(port: server.port) { connection in
                try await connection.say(
                    "GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.token)\r\n\r\n"
                )
                return await connection.read(until: "event: ready")
            }
            for field in Self.fields.dropLast() { #expect(answer.contains("\r\n\(field)\r\n"), "\(field)") }
            #expect(answer.contains("\r\nCache-Control: no-cache, no-transform\r\n"))
            #expect(!answer.contains("no-store"))
        }
    }

    @Test func `TLS is asked for where the operator says that it is there`() async throws {
        try await TestServer.with {
            $0.edge.isBehindTLS = true
        } _: { server in
            let answer = try await server.send(.get, "/healthz")
            #expect(answer["Strict-Transport-Security"] == "max-age=31536000")
        }
    }

    @Test func `TLS is asked for where a trusted proxy says so, and nobody else`() async throws {
        for (proxies, scheme, isAskedFor) in [
            (["127.0.0.1", "::1"], "https", true), (["127.0.0.1", "::1"], "http, HTTPS", true),
            (["127.0.0.1", "::1"], "http", false), (["10.0.0.1"], "https", false), ([], "https", false),
        ] {
            try await TestServer.with {
                $0.setup = .live
                $0.edge.trustedProxies = TrustedProxies(proxies) ?? .none
            } _: { server in
                let answer = try await server.send(.get, "/healthz", headers: [.forwardedProto: scheme])
                #expect((answer["Strict-Transport-Security"] != nil) == isAskedFor, "\(proxies) \(scheme)")
            }
        }
    }
}
