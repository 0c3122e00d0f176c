import Foundation
import HTTPTypes
import ParleyWire
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Edge
@testable import Identity
@testable import OpenID

@Suite(.database) struct `Signing in with an issuer in a browser` {
    private func with(
        _ configure: @escaping @Sendable (inout TestServer.Options) -> Void = { _ in },
        _ body: @escaping @Sendable (TestServer, TestIssuer) async throws -> Void
    ) async throws {
        try await TestIssuer.with { stand in
            let issuers = try OpenIDIssuers(.standing(at: stand), logger: SecretWatch.logger)
            try await TestServer.with {
                $0.issuers = issuers
                configure(&$0)
            } _: { server in
                try await body(server, stand)
            }
        }
    }

    private func expectFailure(_ code: String, _ answer: Answer) {
        #expect(answer.status == .seeOther, "\(answer.text)")
        #expect(answer.headers[.location] == "/sign-in?failed=\(code)&provider=Google")
    }

    @Test func `leads to the issuer and back, and leaves a session in a cookie`() async throws {
        try await with { server, stand in
            let browser = TestBrowser(server)
            let begun = try await browser.get("/v1/auth/oidc/google/start?returnTo=/chats/1?a=b&deviceName=Firefox")
            #expect(begun.status == .seeOther)
            let address = try #require(begun.headers[.location])
            #expect(address.hasPrefix("\(stand.url)/authorize?tenant=one&response_type=code&"))
            let query = TestIssuer.items(String(address.drop { $0 != "?" }.dropFirst()))
            #expect(query["client_id"] == TestIssuer.clientID)
            #expect(query["scope"] == "openid email profile")
            #expect(query["redirect_uri"]?.hasSuffix("/v1/auth/oidc/google/callback") == true)
            #expect(query["code_challenge_method"] == "S256")
            for name in ["state", "nonce", "code_challenge"] { #expect(query[name]?.utf8.count == 43, "\(name)") }
            #expect(browser.settings.count == 1)
            let setting = try #require(browser.settings.first)
            #expect(setting.hasPrefix("parley-attempt="))
            #expect(setting.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Max-Age=600"))

            let code = stand.authorize(query) { stand.claims() }
            let ended = try await browser.callback(code: code, state: query["state"])
            #expect(ended.status == .seeOther)
            #expect(ended.headers[.location] == "/chats/1?a=b")
            #expect(Set(browser.cookies.keys) == ["parley"])
            #expect(browser.settings.contains { $0.hasPrefix("parley=") && $0.contains("SameSite=Strict") })
            let me = try await browser.get("/v1/me").decode(Me.self)
            #expect(me.displayName == "Ada" && me.emailVerified)
            let sessions = try await browser.get("/v1/sessions").decode(ListPage<ListedSession>.self)
            #expect(sessions.items.map(\.deviceName) == ["Firefox"])
        }
    }

    @Test func `ends once, whoever repeats it`() async throws {
        try await with { server, stand in
            let browser = TestBrowser(server)
            let query = try await browser.start()
            let thief = TestBrowser(server, sharing: browser)
            let code = stand.authorize(query) { stand.claims() }
            #expect(try await browser.callback(code: code, state: query["state"]).headers[.location] == "/")
            // The same address again, in the same browser and in one that has stolen its cookie.
            try await expectFailure("expired", browser.callback(code: code, state: query["state"]))
            try await expectFailure("expired", thief.callback(code: code, state: query["state"]))
            // A code that is new for us, and not for the issuer.
            let next = TestBrowser(server)
            let state = try await next.start()["state"]
            try await expectFailure("refused", next.callback(code: code, state: state))
            #expect(next.cookies.isEmpty)
        }
    }

    @Test func `counts in the browser alone that has begun it`() async throws {
        try await with { server, stand in
            let (ada, eve) = (TestBrowser(server), TestBrowser(server))
            let (query, eves) = (try await ada.start(), try await eve.start())
            let code = stand.authorize(query) { stand.claims() }
            let nobody = TestBrowser(server)
            try await expectFailure("expired", nobody.callback(code: code, state: query["state"]))
            try await expectFailure("expired", eve.callback(code: code, state: query["state"]))
            // What somebody else has begun ends nothing here.
            let grant = stand.authorize(eves) { stand.claims(["sub": "subject-0", "email": "eve@example.org"]) }
            #expect(try await eve.callback(code: grant, state: eves["state"]).headers[.location] == "/")
            for state in [nil, "", "x", query["nonce"]] {
                let other = TestBrowser(server)
                let query = try await other.start()
                let code = stand.authorize(query) { stand.claims() }
                try await expectFailure("expired", other.callback(code: code, state: state))
            }
            #expect(try await ada.callback(code: code, state: query["state"]).headers[.location] == "/")
        }
    }

    @Test func `goes on in the tab that began it last, whatever comes back in another one`() async throws {
        try await with { server, stand in
            let browser = TestBrowser(server)
            let first = try await browser.start()
            let last = try await browser.start()
            let early = stand.authorize(first) { stand.claims() }
            try await expectFailure("expired", browser.callback(code: early, state: first["state"]))
            // Whoever lures the browser here meanwhile.
            try await expectFailure("expired", browser.callback(code: "x", state: "x"))
            for more in ["error=%FF", "iss=%FF", "code=%FF"] {
                try await browser.callback(state: last["state"], and: more).expect(.validationFailed)
            }
            let code = stand.authorize(last) { stand.claims() }
            #expect(try await browser.callback(code: code, state: last["state"]).headers[.location] == "/")
        }
    }

    @Test func `ends the session that the browser had before`() async throws {
        try await with { server, stand in
            let browser = TestBrowser(server)
            for _ in 0..<2 {
                let query = try await browser.start()
                let code = stand.authorize(query) { stand.claims() }
                #expect(try await browser.callback(code: code, state: query["state"]).headers[.location] == "/")
            }
            let sessions = try await browser.get("/v1/sessions").decode(ListPage<ListedSession>.self)
            #expect(sessions.items.count == 1)
        }
    }

    @Test func `is over after ten minutes`() async throws {
        let late = Mutex(false)
        try await with {
            $0.now = { late.withLock { $0 } ? Date().addingTimeInterval(601) : Date() }
        } _: { server, stand in
            let browser = TestBrowser(server)
            let query = try await browser.start()
            let code = stand.authorize(query) { stand.claims() }
            late.withLock { $0 = true }
            try await expectFailure("expired", browser.callback(code: code, state: query["state"]))
        }
    }

    @Test func `says in a word why it failed`() async throws {
        try await with { server, stand in
            let squatter = try await server.register()
            let bob = TestBrowser(server)
            let asked = try await bob.start()
            let grant = stand.authorize(asked) { stand.claims(["sub": "subject-0", "email": "bob@example.org"]) }
            #expect(try await bob.callback(code: grant, state: asked["state"]).headers[.location] == "/")
            let failures: [(more: String, claims: [String: any Sendable], word: String)] = [
                ("error=access_denied", [:], "denied"), ("error=server_error", [:], "refused"),
                ("iss=https://evil.example", [:], "refused"), ("", ["nonce": "another"], "refused"),
                ("", ["aud": "another-app"], "refused"), ("", ["iss": "https://evil.example"], "refused"),
                ("", ["exp": 1], "refused"), ("", ["email_verified": false], "emailUnverified"),
                ("", ["email": squatter.email], "emailTaken"), ("", ["email": "bob@example.org"], "alreadyLinked"),
            ]
            for (more, claims, word) in failures {
                let browser = TestBrowser(server)
                let query = try await browser.start()
                let code = stand.authorize(query) { stand.claims(claims) }
                try await expectFailure(word, browser.callback(code: code, state: query["state"], and: more))
                #expect(browser.cookies.isEmpty, "\(word)")
            }
            let browser = TestBrowser(server)
            let query = try await browser.start()
            try await expectFailure("refused", browser.callback(state: query["state"]))
        }
    }

    @Test func `leads back where the issuer is of no use`() async throws {
        try await with { server, stand in
            for behaviour: TestIssuer.Behaviour in [.status(500), .redirect("https://evil.example"), .body("none")] {
                stand.set(behaviour, at: TestIssuer.tokenPath)
                let browser = TestBrowser(server)
                let query = try await browser.start()
                let code = stand.authorize(query) { stand.claims() }
                try await expectFailure("unavailable", browser.callback(code: code, state: query["state"]))
            }
        }
        try await with { server, stand in
            stand.set(.status(500), at: TestIssuer.discoveryPath)
            try await expectFailure("unavailable", TestBrowser(server).get("/v1/auth/oidc/google/start"))
            try await TestBrowser(server).get("/v1/auth/oidc/nobody/start").expect(.notFound)
            try await TestBrowser(server).get("/v1/auth/oidc/nobody/callback").expect(.notFound)
        }
    }

    @Test func `returns to own paths alone`() async throws {
        for path in ["/", "/chats", "/chats/1?a=b#c", "/a/./b", "/%2F%2Fevil.example"] {
            #expect(ReturnPath.isOwn(path))
        }
        let others = [
            "", "chats", "//evil.example", "/\\evil.example", "\\/evil.example", "/a//evil.example",
            "https://evil.example",
            "/\t/evil.example", "/\n", "/ö", "javascript:alert(1)",
        ]
        for path in others { #expect(!ReturnPath.isOwn(path), "\(path)") }
        try await with { server, _ in
            for path in ["//evil.example", "/%5Cevil.example", "https://evil.example"] {
                try await TestBrowser(server).get("/v1/auth/oidc/google/start?returnTo=\(path)").expect(
                    .validationFailed,
                    parameter: "returnTo"
                )
            }
        }
    }

    @Test func `is called by a name that no neighbour can plant where there is TLS`() async throws {
        try await with {
            $0.edge.isBehindTLS = true
        } _: { server, _ in
            let browser = TestBrowser(server)
            let query = try await browser.start()
            #expect(query["redirect_uri"]?.hasPrefix("https://") == true)
            let setting = try #require(browser.settings.first)
            #expect(setting.hasPrefix("__Host-parley-attempt="))
            #expect(setting.hasSuffix("; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=600"))
        }
    }
}
