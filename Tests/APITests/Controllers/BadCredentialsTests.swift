import Foundation
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import Edge

/// Requests to the routes that take credentials, as attackers and broken clients make them.
@Suite(.database) struct BadCredentialsTests {
    /// A route, with a body that it takes for well-formed and refuses for what it says, or accepts.
    struct Route: Sendable, CustomTestStringConvertible {
        let path: String
        /// The texts that the body must have.
        let fields: [String]
        var isSignedIn = false

        var testDescription: String { path }

        func body(_ values: [String: String] = [:]) -> String {
            let members = fields.map { "\"\($0)\": \(values[$0] ?? "\"\(Self.plausible[$0] ?? "")\"")" }
            return "{\(members.joined(separator: ", "))}"
        }

        private static let plausible = [
            "email": "nobody@example.org", "password": "wrong horse", "currentPassword": "wrong horse",
            "newPassword": "correct horse", "refreshToken": "none", "token": "none",
        ]
    }

    static let routes = [
        Route(path: "/v1/auth/register", fields: ["email", "password"]),
        Route(path: "/v1/auth/login", fields: ["email", "password"]),
        Route(path: "/v1/auth/refresh", fields: ["refreshToken"]),
        Route(path: "/v1/auth/password/change", fields: ["currentPassword", "newPassword"], isSignedIn: true),
        Route(path: "/v1/auth/password/reset", fields: ["token", "newPassword"]),
        Route(path: "/v1/auth/email/verify", fields: ["token"]),
        Route(path: "/v1/auth/password/forgot", fields: ["email"]),
    ]

    private static func send(_ route: Route, _ body: String?, by ada: Person) async throws -> Answer {
        try await route.isSignedIn
            ? ada.send(.post, route.path, text: body) : ada.server.send(.post, route.path, text: body)
    }

    /// What the database holds of accounts and sessions; without the times of use.
    private static func stored() async throws -> [String] {
        let rows = try await TestDatabase.current.pool.query(
            """
            SELECT 'account ' || account_id || coalesce(password_hash, '') AS line FROM parley.accounts
            UNION ALL
            SELECT 'session ' || session_id || encode(refresh_hash, 'hex') || (revoked_at IS NULL) FROM parley.sessions
            UNION ALL
            SELECT 'mail ' || mail_id || attempts FROM parley.mail_outbox
            UNION ALL
            SELECT 'token ' || encode(token_hash, 'hex') FROM parley.mail_tokens
            ORDER BY line
            """
        )
        return try rows.map { try $0.decode("line") }
    }

    @Test(arguments: routes)
    func `malformed bodies are refused, each in its words, and nothing is stored`(route: Route) async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let before = try await Self.stored()
            let bad: [(String, String?, ProblemCode)] = [
                ("nothing", nil, .malformedRequest), ("an empty body", "", .malformedRequest),
                ("no JSON", "email=a&password=b", .malformedRequest),
                ("cut JSON", String(route.body().dropLast()), .malformedRequest),
                ("two values", route.body() + route.body(), .malformedRequest),
                ("a comma too many", "{\"a\": 1,}", .malformedRequest),
                ("not a number", "{\"a\": NaN}", .malformedRequest),
                ("a NUL", "\u{0}" + route.body(), .malformedRequest),
                ("a byte order mark", "\u{feff}" + route.body(), .malformedRequest),
                ("null", "null", .validationFailed), ("a list", "[\(route.body())]", .validationFailed),
                ("a text", "\"\(route.path)\"", .validationFailed), ("an empty object", "{}", .validationFailed),
                ("brackets", String(repeating: "[", count: 16_000), .validationFailed),
                ("objects", String(repeating: "{\"a\":", count: 3_000), .validationFailed),
                ("values", "[\(String(repeating: "0,", count: 8_000))0]", .validationFailed),
                ("too much", route.body() + String(repeating: " ", count: 16_384), .payloadTooLarge),
            ]
            for (name, body, code) in bad {
                let answer = try await Self.send(route, body, by: ada)
                #expect(try answer.problem().knownCode == code, "\(name): \(answer.text.prefix(300))")
            }
            #expect(try await Self.stored() == before)
        }
    }

    @Test(arguments: routes)
    func `fields that are missing, of a wrong type or too large are named`(route: Route) async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let before = try await Self.stored()
            let huge = "\"\(String(repeating: "x", count: 10_000))\""
            for field in route.fields {
                let others = route.fields.filter { $0 != field }
                let without = Route(path: route.path, fields: others, isSignedIn: route.isSignedIn)
                try await Self.send(route, without.body(), by: ada)
                    .expect(.validationFailed, pointer: "/\(field)")
                for value in ["null", "1", "1e999", "true", "[]", "{\"$ne\": null}", "[\"a\"]", "\"\\ud800\"", huge] {
                    let answer = try await Self.send(route, route.body([field: value]), by: ada)
                    try answer.expect(.validationFailed, pointer: "/\(field)")
                    #expect(!answer.text.contains("xxxx"))
                }
            }
            #expect(try await Self.stored() == before)
        }
    }

    /// Whoever has forgotten a password gets the same answer for every address, and so for every text.
    @Test(arguments: routes.filter { !$0.path.hasSuffix("forgot") })
    func `texts that no one has are refused without a failure`(route: Route) async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let before = try await Self.stored()
            let strange = [
                #""""#, #"" ""#, #""\u0000""#, #""a\u0000b""#, #""\u202e\u200b""#, #""' OR 1=1 --""#, #""@""#,
                #""a@b@c""#,
                "\"\(String(repeating: "é", count: 1_000))\"", "\"\(String(repeating: "🧨", count: 1_000))\"",
            ]
            // Where all fields but one are right, nothing else must happen either: so none of these may sign up.
            for field in route.fields where !(route.path.hasSuffix("register") && field == "password") {
                for value in strange {
                    let answer = try await Self.send(route, route.body([field: value]), by: ada)
                    // Asking for a mail is answered alike whoever is named.
                    if route.path.hasSuffix("forgot"), answer.status.kind == .successful { continue }
                    #expect((400..<500).contains(answer.status.code), "\(field) \(value): \(answer.text)")
                    _ = try answer.problem()
                }
            }
            #expect(try await Self.stored() == before)
        }
    }

    @Test(arguments: routes)
    func `bodies of other types are refused`(route: Route) async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "x"] {
                var headers: HTTPFields = [.contentType: type]
                if route.isSignedIn { headers[.authorization] = "Bearer \(ada.session.accessToken)" }
                try await server.send(.post, route.path, headers: headers, text: route.body())
                    .expect(.unsupportedMediaType)
            }
        }
    }

    @Test func `a private route takes no token that is not one`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let token = ada.session.accessToken
            let bad = [
                "", "Bearer", "Bearer ", "Basic \(token)", "Bearer \(token)x", "Bearer \(token.dropLast(4))",
                "Bearer ...",
                "Bearer \(token) \(token)", "Bearer \(String(repeating: "a", count: 7_000))",
                "Bearer \(token).\(token)",
                token,
            ]
            for path in ["/v1/auth/logout", "/v1/auth/password/change"] {
                for value in bad {
                    let answer = try await server.send(.post, path, headers: [.authorization: value], text: "{}")
                    try answer.expect(.unauthenticated)
                    #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
                }
            }
            #expect(try await ada.send(.get, "/v1/me").status == .ok)
        }
    }

    @Test func `of many registrations of one email at once, one makes an account`() async throws {
        try await TestServer.with { server in
            let codes = try await Self.atOnce(20) {
                let body = #"{"email": "ada@example.org", "password": "correct horse"}"#
                return try await server.send(.post, "/v1/auth/register", text: body)
            }
            #expect(codes.count { $0 == 201 } == 1)
            #expect(codes.count { $0 == 409 } == 19)
            #expect(try await Self.stored().count { $0.hasPrefix("account") } == 1)
        }
    }

    @Test func `of many changes of one password at once, one takes effect`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let body = #"{"currentPassword": "correct horse", "newPassword": "another horse"}"#
            let codes = try await Self.atOnce(10) { try await ada.send(.post, "/v1/auth/password/change", text: body) }
            #expect(codes.count { $0 == 204 } == 1)
            #expect(codes.allSatisfy { $0 == 204 || $0 == 401 })
        }
    }

    @Test func `of many logouts at once, each is answered, and none twice`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let codes = try await Self.atOnce(10) { try await ada.send(.post, "/v1/auth/logout") }
            #expect(codes.contains(204))
            #expect(codes.allSatisfy { $0 == 204 || $0 == 401 })
            try await ada.send(.post, "/v1/auth/logout").expect(.unauthenticated)
        }
    }

    /// Sends a request many times at once.
    private static func atOnce(
        _ count: Int,
        _ send: @escaping @Sendable () async throws -> Answer
    ) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await send().status.code } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
