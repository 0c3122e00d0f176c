import Foundation
import HTTPTypes
import ParleyWire
import Synchronization
import TestSupport
import Testing

/// What it takes to erase the own account: more than an access token.
@Suite(.database) struct ErasingOneselfTests {
    /// A server whose clock the test moves, and somebody who signed in long enough ago.
    private static func with(_ body: @escaping @Sendable (TestServer, Person) async throws -> Void) async throws {
        let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        try await TestServer.with {
            $0.now = { clock.withLock { $0 } }
        } _: { server in
            let ada = try await server.register()
            clock.withLock { $0 += 5 * 60 }
            try await body(server, ada)
        }
    }

    @Test func `an access token alone destroys nothing`() async throws {
        try await Self.with { _, ada in
            try await ada.send(.delete, "/v1/me").expect(.validationFailed, pointer: "/password")
            let null: JSONValue = .object(["password": .null])
            try await ada.send(.delete, "/v1/me", body: null).expect(.validationFailed, pointer: "/password")
            #expect(try await ada.send(.get, "/v1/me").status == .ok)
        }
    }

    @Test func `nor does it with a wrong password`() async throws {
        try await Self.with { _, ada in
            for password in ["wrong horse", "", "correct horse "] {
                let body: JSONValue = .object(["password": .string(password)])
                try await ada.send(.delete, "/v1/me", body: body).expect(.invalidCredentials)
            }
            try await ada.send(.delete, "/v1/me", body: .object(["password": .number(1)])).expect(.validationFailed)
            try await ada.send(.delete, "/v1/me", text: "{").expect(.malformedRequest)
            #expect(try await ada.send(.get, "/v1/me").status == .ok)
        }
    }

    @Test func `the password does`() async throws {
        try await Self.with { _, ada in
            let body: JSONValue = .object(["password": .string("correct horse")])
            #expect(try await ada.send(.delete, "/v1/me", body: body).status == .noContent)
            try await ada.send(.get, "/v1/me").expect(.unauthenticated)
        }
    }

    @Test func `a sign-in moments ago stands for the password, refreshed tokens do not`() async throws {
        try await Self.with { server, ada in
            let login = try await server.send(
                .post,
                "/v1/auth/login",
                body: .object(["email": .string(ada.email), "password": .string("correct horse")])
            ).decode(Session.self)
            let refreshed = try await server.send(
                .post,
                "/v1/auth/refresh",
                body: .object(["refreshToken": .string(ada.session.refreshToken)])
            ).decode(Session.self)
            let old = Person(server: server, session: refreshed, email: ada.email)
            try await old.send(.delete, "/v1/me").expect(.validationFailed)
            let new = Person(server: server, session: login, email: ada.email)
            #expect(try await new.send(.delete, "/v1/me").status == .noContent)
        }
    }
}
