import Foundation
import HTTPTypes
import Identity
import ParleyWire
import TestSupport
import Testing

@testable import Edge
@testable import OpenID

@Suite(.database) struct `Signing in with an ID token` {
    struct Newcomer: Decodable {
        let user: ParleyWire.User
        let accessToken: String
        let refreshToken: String
        let isNewUser: Bool
    }

    private func with(
        _ key: TestSigningKey = .p256("one"),
        _ body: @escaping @Sendable (TestServer, TestIssuer, TestSigningKey) async throws -> Void
    ) async throws {
        try await TestIssuer.with(key) { stand in
            let issuers = try OpenIDIssuers(.standing(at: stand), logger: SecretWatch.logger)
            try await TestServer.with {
                $0.issuers = issuers
            } _: { server in
                try await body(server, stand, key)
            }
        }
    }

    private func post(_ token: String, to path: String = "/v1/auth/google", _ server: TestServer) async throws -> Answer
    {
        SecretWatch.add(token)
        let body: JSONValue = .object(["idToken": .string(token), "deviceName": .string("Phone")])
        return try await server.send(.post, path, body: body)
    }

    @Test func `answers as signing in does, and whether the account is new`() async throws {
        try await with { server, stand, key in
            let token = try key.token(stand.claims())
            let first = try await post(token, server).decode(Newcomer.self, status: .ok)
            #expect(first.isNewUser)
            let again = try await post(token, to: "/v1/auth/oidc/google", server).decode(Newcomer.self, status: .ok)
            #expect(!again.isNewUser && again.user.id == first.user.id)
            let me = try await server.send(.get, "/v1/me", headers: [.authorization: "Bearer \(first.accessToken)"])
            let text = try me.decode(Me.self)
            #expect(text.emailVerified && text.displayName == "Ada")
            let refreshed = try await server.send(
                .post,
                "/v1/auth/refresh",
                body: .object(["refreshToken": .string(first.refreshToken)])
            )
            #expect(refreshed.status == .ok)
        }
    }

    @Test func `ends the session that the same browser had before`() async throws {
        try await with { server, stand, key in
            let before = try await server.registerInBrowser()
            let path = "/v1/auth/google"
            let refused: JSONValue = .object(["idToken": .string("no token"), "session": .string("cookie")])
            try await before.send(.post, path, body: refused).expect(.invalidCredentials)
            #expect(try await before.isSignedIn())
            let token = try key.token(stand.claims())
            SecretWatch.add(token)
            let body: JSONValue = .object(["idToken": .string(token), "session": .string("cookie")])
            let next = try server.browser(try await before.send(.post, path, body: body), "ada@example.org")
            #expect(try await next.isSignedIn())
            #expect(try await before.isSignedIn() == false)
        }
    }

    @Test func `is refused with the reason where the token does not count`() async throws {
        try await with { server, stand, key in
            let expired = try await post(try key.token(stand.claims(["exp": 1])), server)
            try expired.expect(.invalidCredentials)
            #expect(try expired.problem().detail?.contains("its time is over") == true)
            try await post("no token", server).expect(.invalidCredentials)
            try await server.send(.post, "/v1/auth/google", body: .object([:])).expect(
                .validationFailed,
                pointer: "/idToken"
            )
            let unverified = try key.token(stand.claims(["email_verified": false]))
            try await post(unverified, server).expect(.forbidden)
            try await post(unverified, to: "/v1/auth/oidc/nobody", server).expect(.notFound)
        }
    }

    @Test func `is refused where an account has the address unproved`() async throws {
        try await with { server, stand, key in
            let squatter = try await server.register()
            let token = try key.token(stand.claims(["email": squatter.email]))
            try await post(token, server).expect(.emailTaken)
        }
    }

    @Test func `waits for no issuer that is down`() async throws {
        try await with { server, stand, key in
            stand.set(.status(500), at: TestIssuer.keysPath)
            let answer = try await post(try key.token(stand.claims()), server)
            try answer.expect(.unavailable)
            #expect(try answer.problem().retryable)
            // Nobody else is concerned.
            _ = try await server.register()
        }
    }

    @Test func `is offered where there are issuers`() async throws {
        try await with { server, _, _ in
            let page = try await server.send(.get, "/v1/auth/providers").decode(ListPage<SignInProvider>.self)
            #expect(page.items == [SignInProvider(provider: "google", name: "Google")])
        }
        try await TestServer.with { server in
            let page = try await server.send(.get, "/v1/auth/providers").decode(ListPage<SignInProvider>.self)
            #expect(page.items == [])
            try await post("token", server).expect(.notFound)
        }
    }
}

extension [OpenIDProvider] {
    /// Google, as a test's issuer plays it.
    static func standing(at stand: TestIssuer) -> [OpenIDProvider] {
        [
            OpenIDProvider(
                id: "google",
                name: "Google",
                issuer: stand.url,
                clientIDs: [TestIssuer.clientID],
                clientSecret: Secret(TestIssuer.clientSecret),
                trustFile: stand.certificateFile
            )
        ]
    }
}

extension TestIssuer {
    /// What its tokens say now.
    func claims(_ changes: [String: Any] = [:]) -> [String: Any] {
        let now = Int(Date.now.timeIntervalSince1970)
        let claims: [String: Any] = [
            "iss": url, "sub": "subject-1", "aud": Self.clientID, "iat": now, "exp": now + 3_600,
            "email": "ada@example.org", "email_verified": true, "name": "Ada",
        ]
        return claims.merging(changes) { $1 }
    }
}
