import Foundation
import HTTPTypes
import ParleyWire
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct AuthenticationTests {
    private static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    @Test func `registering signs in`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            #expect(ada.session.user.displayName == "Ada")
            let me = try await ada.get(Me.self, "/v1/me")
            #expect(me.id == ada.id)
            #expect(me.email == ada.email)
            #expect(!me.needsOnboarding)
        }
    }

    @Test func `who has no name yet is asked for one`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            #expect(try await ada.get(Me.self, "/v1/me").needsOnboarding)
            let named = try await ada.send(.patch, "/v1/me", body: .object(["displayName": .string("  Ada ")]))
                .decode(Me.self)
            #expect(named.displayName == "Ada")
            #expect(!named.needsOnboarding)
        }
    }

    @Test func `a PATCH leaves what it does not name and clears what is null`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let settings: JSONValue = .object([
                "readReceipts": .bool(false), "timeZone": .string("Europe/Paris"), "locale": .string("fr"),
            ])
            _ = try await ada.send(.patch, "/v1/me", body: .object(["settings": settings])).decode(Me.self)
            for wrong in ["timeZone", "locale"] {
                for text in ["../../etc/passwd", "", "a//b", "/", "x y", "\u{202e}"] {
                    let body: JSONValue = .object(["settings": .object([wrong: .string(text)])])
                    try await ada.send(.patch, "/v1/me", body: body).expect(.validationFailed)
                }
            }
            let change: JSONValue = .object(["settings": .object(["timeZone": .null])])
            let answer = try await ada.send(.patch, "/v1/me", body: change)
            #expect(answer[ParleyHeader.position] != nil)
            let me = try answer.decode(Me.self)
            #expect(me.displayName == "Ada")
            #expect(me.settings == UserSettings(readReceipts: false, timeZone: nil, locale: "fr"))
        }
    }

    @Test func `signing in, refreshing and out`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let login: JSONValue = .object([
                "email": .string(ada.email.uppercased()), "password": .string("correct horse"),
                "deviceName": .string("Phone"),
            ])
            let session = try await server.send(.post, "/v1/auth/login", body: login).decode(Session.self, status: .ok)
            #expect(session.user.id == ada.id)
            #expect(session.session.deviceName == "Phone")
            let refresh: JSONValue = .object(["refreshToken": .string(session.refreshToken)])
            let fresh = try await server.send(.post, "/v1/auth/refresh", body: refresh).decode(
                Session.self,
                status: .ok
            )
            let phone = Person(server: server, session: fresh, email: ada.email)
            #expect(try await phone.send(.post, "/v1/auth/logout").status == .noContent)
            try await phone.send(.get, "/v1/me").expect(.unauthenticated)
            #expect(try await ada.send(.get, "/v1/me").status == .ok)
        }
    }

    @Test func `wrong credentials, taken addresses and wrong fields are told apart`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            func post(_ path: String, _ body: [String: String]) async throws -> Answer {
                try await server.send(.post, path, body: .object(body.mapValues { .string($0) }))
            }
            try await post("/v1/auth/login", ["email": ada.email, "password": "wrong horse"]).expect(
                .invalidCredentials
            )
            try await post("/v1/auth/login", ["email": "nobody@example.org", "password": "x"]).expect(
                .invalidCredentials
            )
            try await post("/v1/auth/login", ["email": ada.email]).expect(.validationFailed, pointer: "/password")
            try await post("/v1/auth/register", ["email": ada.email, "password": "correct horse"]).expect(.emailTaken)
            try await post("/v1/auth/register", ["email": "no address", "password": "correct horse"])
                .expect(.validationFailed, pointer: "/email")
            try await post("/v1/auth/register", ["email": "a@example.org", "password": "short"])
                .expect(.validationFailed, pointer: "/password")
            try await post(
                "/v1/auth/register",
                ["email": "a@example.org", "password": "correct horse", "displayName": "A"]
            )
            .expect(.validationFailed, pointer: "/displayName")
            try await post("/v1/auth/refresh", ["refreshToken": "x"]).expect(.unauthenticated)
        }
    }

    @Test func `forged tokens are refused`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let parts = ada.session.accessToken.split(separator: ".").map(String.init)
            try #require(parts.count == 3)
            let none = Self.base64URL(#"{"alg":"none","typ":"at+jwt"}"#)
            let tokens = [
                nil, "", "Bearer", "Bearer ", "Basic \(ada.session.accessToken)", "Bearer x", "Bearer a.b.c",
                "Bearer \(none).\(parts[1]).", "Bearer \(none).\(parts[1]).\(parts[2])",
                "Bearer \(parts[0]).\(Self.base64URL("{}")).\(parts[2])", "Bearer \(parts[0]).\(parts[1]).AAAA",
                "Bearer \(ada.session.refreshToken)", "Bearer \(String(repeating: "a", count: 6_000))",
            ]
            for token in tokens {
                var headers: HTTPFields = [:]
                headers[.authorization] = token
                let answer = try await server.send(.get, "/v1/me", headers: headers)
                try answer.expect(.unauthenticated)
                #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            }
            let headers: HTTPFields = [.authorization: "bearer \(ada.session.accessToken)"]
            #expect(try await server.send(.get, "/v1/me", headers: headers).status == .ok)
        }
    }

    @Test func `an expired token is told to be refreshed`() async throws {
        let clock = Mutex(Date())
        try await TestServer.with {
            $0.now = { clock.withLock { $0 } }
        } _: { server in
            let ada = try await server.register()
            clock.withLock { $0 += 3_600 }
            let answer = try await ada.send(.get, "/v1/me")
            try answer.expect(.tokenExpired)
            #expect(answer["WWW-Authenticate"]?.contains("invalid_token") == true)
        }
    }

    @Test func `what is private is private`() async throws {
        try await TestServer.with { server in
            let id = WireID()
            let routes: [(HTTPRequest.Method, String)] = [
                (.post, "/v1/auth/logout"), (.post, "/v1/auth/password/change"), (.get, "/v1/sessions"),
                (.delete, "/v1/sessions"), (.delete, "/v1/sessions/\(id)"), (.get, "/v1/me"), (.patch, "/v1/me"),
                (.get, "/v1/users"),
                (.get, "/v1/users/\(id)"), (.get, "/v1/server"), (.put, "/v1/conversations/direct/\(id)"),
                (.put, "/v1/conversations/\(id)"), (.patch, "/v1/conversations/\(id)"), (.get, "/v1/conversations"),
                (.get, "/v1/conversations/\(id)"), (.get, "/v1/conversations/\(id)/participants"),
                (.put, "/v1/conversations/\(id)/participants/\(id)"),
                (.delete, "/v1/conversations/\(id)/participants/\(id)"), (.post, "/v1/conversations/\(id)/join"),
                (.post, "/v1/conversations/\(id)/leave"), (.put, "/v1/conversations/\(id)/messages/\(id)"),
                (.post, "/v1/conversations/\(id)/messages"), (.get, "/v1/conversations/\(id)/messages"),
                (.get, "/v1/conversations/\(id)/messages/\(id)"),
                (.get, "/v1/conversations/\(id)/messages/\(id)/receipts"), (.post, "/v1/receipts"),
            ]
            for (method, path) in routes { try await server.send(method, path).expect(.unauthenticated) }
        }
    }
}
