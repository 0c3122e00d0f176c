import Foundation
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

@Suite(.database) struct CrossOriginTests {
    private static let app = "https://app.example.org"

    private static func with(
        _ origins: [String],
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with({ $0.edge.crossOrigin = CrossOrigin(origins) }, body)
    }

    private static func ask(
        _ server: TestServer,
        _ method: HTTPRequest.Method,
        _ path: String,
        from origin: String,
        for requested: String? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [.origin: origin]
        headers[.accessControlRequestMethod] = requested
        return try await server.send(method, path, headers: headers)
    }

    @Test func `a listed origin is told what it may send`() async throws {
        try await Self.with([Self.app, "http://localhost:3000"]) { server in
            let answer = try await Self.ask(server, .options, "/v1/me", from: Self.app, for: "PATCH")
            #expect(answer.status == .noContent)
            #expect(answer["Access-Control-Allow-Origin"] == Self.app)
            #expect(answer["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
            #expect(
                answer["Access-Control-Allow-Headers"]
                    == """
                    Authorization, Content-Type, If-None-Match, If-Range, Range, Idempotency-Key, Last-Event-ID, \
                    Upload-Complete, Upload-Length, Upload-Offset, Parley-Wait-For
                    """
            )
            #expect(answer["Access-Control-Max-Age"] == "600")
            #expect(answer["Access-Control-Allow-Credentials"] == nil)
            #expect(answer["Vary"] == "Origin")
        }
    }

    @Test(arguments: ["/healthz", "/v1/me", "/nowhere"])
    func `a listed origin may read answers, errors too`(path: String) async throws {
        try await Self.with([Self.app]) { server in
            let answer = try await Self.ask(server, .get, path, from: Self.app)
            #expect(answer["Access-Control-Allow-Origin"] == Self.app)
            #expect(
                answer["Access-Control-Expose-Headers"]
                    == """
                    Parley-Position, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag, Accept-Ranges, \
                    Content-Disposition, Content-Range, Location, Upload-Complete, Upload-Length, Upload-Limit, \
                    Upload-Offset
                    """
            )
            #expect(answer["Vary"] == "Origin")
        }
    }

    @Test(arguments: [
        "https://evil.example.org", "http://app.example.org", "https://app.example.org:444", "null", "",
        "https://app.example.org.evil.org", "HTTPS://APP.EXAMPLE.ORG",
    ])
    func `an origin that is not listed gets nothing`(origin: String) async throws {
        try await Self.with([Self.app]) { server in
            for method in [HTTPRequest.Method.get, .options] {
                let answer = try await Self.ask(server, method, "/healthz", from: origin, for: "GET")
                #expect(answer.headers.allSatisfy { !$0.name.canonicalName.hasPrefix("access-control") })
                #expect(answer["Vary"] == "Origin")
                if method == .options { try answer.expect(.methodNotAllowed) }
            }
        }
    }

    @Test func `every origin may be let in, still without credentials`() async throws {
        try await Self.with(["*"]) { server in
            let answer = try await Self.ask(server, .options, "/v1/sessions", from: "https://any.example", for: "GET")
            #expect(answer.status == .noContent)
            #expect(answer["Access-Control-Allow-Origin"] == "*")
            #expect(answer["Access-Control-Allow-Credentials"] == nil)
        }
    }

    @Test func `paths that lead nowhere, and questions without a method, are answered as ever`() async throws {
        try await Self.with([Self.app]) { server in
            try await Self.ask(server, .options, "/nowhere", from: Self.app, for: "GET").expect(.notFound)
            try await Self.ask(server, .options, "/healthz", from: Self.app).expect(.methodNotAllowed)
        }
    }

    @Test func `without origins no page of another origin may call`() async throws {
        try await TestServer.with { server in
            let answer = try await Self.ask(server, .options, "/v1/me", from: Self.app, for: "GET")
            try answer.expect(.methodNotAllowed)
            #expect(answer.headers.allSatisfy { !$0.name.canonicalName.hasPrefix("access-control") })
            #expect(answer["Vary"] == nil)
        }
    }

    @Test(arguments: [
        "", "app.example.org", "https://", "https://app.example.org/", "https://*.example.org",
        "HTTPS://app.example.org", "https://a b", "//app.example.org", "https:/app", "https://user@app.example.org",
        "null",
    ])
    func `what browsers do not send as an origin is refused`(origin: String) {
        #expect(CrossOrigin([origin]) == nil)
        #expect(CrossOrigin([Self.app, origin]) == nil)
        #expect(CrossOrigin(["*", Self.app]) == nil)
    }
}
