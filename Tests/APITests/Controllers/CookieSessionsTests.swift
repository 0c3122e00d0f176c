import Foundation
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Edge

/// Browsers that hold their session by a cookie.
@Suite(.database, .timeLimit(.minutes(5))) struct `A session by cookie` {
    private static let gone = "parley=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"

    private static func members(_ answer: Answer) throws -> Set<String> {
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return Set((object ?? [:]).keys)
    }

    @Test func `is a cookie that no script can read, and no token in the answer`() async throws {
        try await TestServer.with {
            $0.edge.isBehindTLS = true
        } _: { server in
            let body: JSONValue = .object([
                "email": .string("ada@example.org"), "password": .string("correct horse"), "session": .string("cookie"),
            ])
            let registered = try await server.send(.post, "/v1/auth/register", body: body)
            #expect(registered.status == .created)
            let signedIn = try await server.login("ada@example.org")
            #expect(signedIn.status == .ok)
            for answer in [registered, signedIn] {
                #expect(try Self.members(answer) == ["user", "session"])
                let fields = answer.headers[values: .setCookie]
                #expect(fields.count == 1)
                let parts = try #require(fields.first).components(separatedBy: "; ")
                let pattern = /__Host-parley=[A-Za-z0-9_-]{107}/
                #expect(parts[0].wholeMatch(of: pattern) != nil)
                #expect(parts.dropFirst() == ["Path=/", "HttpOnly", "Secure", "SameSite=Strict", "Max-Age=2592000"])
                #expect(answer["Cache-Control"] == "no-store")
                let headers: HTTPFields = [.cookie: "other=1; \(parts[0])"]
                #expect(try await server.send(.get, "/v1/me", headers: headers).status == .ok)
                // The name that it has without TLS is not taken with it.
                let plain: HTTPFields = [.cookie: String(parts[0].dropFirst("__Host-".count))]
                try await server.send(.get, "/v1/me", headers: plain).expect(.unauthenticated)
            }
        }
    }

    @Test func `takes the place of a token on every route`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.registerInBrowser(), try await server.register("Bob"))
            #expect(ada.cookie.hasPrefix("parley="))
            let me = try await ada.send(.get, "/v1/me").decode(Me.self, status: .ok)
            #expect(me.id == ada.session.user.id)
            let talk = try await ada.send(.put, "/v1/conversations/direct/\(bob.id)").decode(Conversation.self)
            let path = "/v1/conversations/\(talk.id)/messages/\(WireID())"
            let sent = try await ada.send(.put, path, body: .object(["text": .string("Hello from a browser")]))
            #expect(sent.status == .created)
            #expect(try await bob.get(ListPage<Conversation>.self, "/v1/conversations").items.count == 1)
            let found = try await ada.send(.post, "/v1/search", body: .object(["query": .string("browser")]))
            #expect(found.status == .ok)
            let name: JSONValue = .object(["displayName": .string("Ada L.")])
            #expect(try await ada.send(.patch, "/v1/me", body: name).status == .ok)
        }
    }

    @Test func `is good for writes of the server's own pages alone`() async throws {
        try await TestServer.with { server in
            let ada = try await server.registerInBrowser()
            let name: JSONValue = .object(["displayName": .string("Mallory")])
            let forged: [HTTPFields] = [
                [:], [.secFetchSite: "cross-site"], [.secFetchSite: "same-site"], [.secFetchSite: "none"],
                [.origin: "https://evil.example"], [.origin: "null"], [.origin: "http://localhost.evil.example"],
                [.secFetchSite: "cross-site", .origin: "http://localhost"],
            ]
            for headers in forged {
                for (method, path) in [
                    (HTTPRequest.Method.patch, "/v1/me"), (.post, "/v1/auth/logout"), (.delete, "/v1/sessions"),
                    (.put, "/v1/conversations/direct/\(WireID())"), (.post, "/v1/search"),
                ] {
                    try await ada.send(method, path, headers: headers, body: name).expect(.forbidden)
                }
            }
            #expect(try await ada.send(.get, "/v1/me").decode(Me.self).displayName == "Ada")
            for headers: HTTPFields in [[.secFetchSite: "same-origin"], [.origin: "http://localhost"]] {
                #expect(try await ada.send(.patch, "/v1/me", headers: headers, body: name).status == .ok)
            }
        }
    }

    @Test func `tells other sites nothing`() async throws {
        try await TestServer.with { server in
            let ada = try await server.registerInBrowser()
            for site in ["cross-site", "same-site", "what"] {
                try await ada.send(.get, "/v1/me", headers: [.secFetchSite: site]).expect(.forbidden)
            }
            for headers: HTTPFields in [[:], [.secFetchSite: "none"], [.secFetchSite: "same-origin"]] {
                #expect(try await ada.send(.get, "/v1/me", headers: headers).status == .ok)
            }
        }
    }

    @Test func `is begun by the server's own pages alone`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let foreign: [HTTPFields] = [
                [.secFetchSite: "cross-site"], [.secFetchSite: "same-site"], [.origin: "https://evil.example"],
                [.origin: "null"],
            ]
            for headers in foreign {
                let answer = try await server.login(ada.email, headers: headers)
                try answer.expect(.forbidden)
                #expect(answer["Set-Cookie"] == nil)
            }
            #expect(try await ada.get(ListPage<ListedSession>.self, "/v1/sessions").items.count == 1)
            for headers: HTTPFields in [[:], [.origin: "http://localhost"]] {
                #expect(try await server.login(ada.email, headers: headers).status == .ok)
            }
        }
    }

    @Test func `takes TLS, but on the machine itself`() async throws {
        let request = { @Sendable (email: String, host: String, more: String) in
            let body = #"{"email":"\#(email)","password":"correct horse","session":"cookie"}"#
            return "POST /v1/auth/register HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\(more)\r\n\(body)"
        }
        for (host, more, over, status) in [
            ("chat.example.org", "", false, "403"), ("127.0.0.1:8080", "", false, "201"),
            ("localhost", "X-Forwarded-For: 10.0.0.1\r\n", false, "403"), ("chat.example.org", "", true, "201"),
        ] {
            try await TestServer.with {
                $0.setup = .live
                $0.edge.cookiesOverHTTP = over
            } _: { server in
                let email = "\(UUID().uuidString.lowercased())@example.org"
                let answer = try await RawConnection.with(port: server.client.port) { connection in
                    try await connection.say(request(email, host, more))
                    return await connection.readAll()
                }
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                #expect(answer.contains("Set-Cookie: parley=") == (status == "201"))
                #expect(!answer.contains("Secure"))
                // What is refused has made no account.
                let login = try await server.login(email)
                #expect(login.status == (status == "201" ? .ok : .unauthorized))
            }
        }
    }

    @Test func `is not mixed with a token`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.registerInBrowser(), try await server.register("Bob"))
            for token in [bob.session.accessToken, "x"] {
                let headers: HTTPFields = [.authorization: "Bearer \(token)", .secFetchSite: "same-origin"]
                try await ada.send(.get, "/v1/me", headers: headers).expect(.malformedRequest)
                try await ada.send(.post, "/v1/auth/logout", headers: headers).expect(.malformedRequest)
            }
            // Other cookies are nobody's business.
            let headers: HTTPFields = [.authorization: "Bearer \(bob.session.accessToken)", .cookie: "theme=dark"]
            #expect(try await server.send(.get, "/v1/me", headers: headers).status == .ok)
        }
    }

    @Test func `that is over, or never was, is refused and not taken away`() async throws {
        try await TestServer.with { server in
            let ada = try await server.registerInBrowser()
            for cookie in ["parley=", "parley=x", "parley=" + String(repeating: "A", count: 107), ada.cookie + "A"] {
                let headers: HTTPFields = [.cookie: cookie]
                let answer = try await server.send(.get, "/v1/me", headers: headers)
                try answer.expect(.unauthenticated)
                #expect(answer["Set-Cookie"] == nil)
            }
            // Two tabs of one browser: what the first one has asked is answered after the second one has signed in again.
            let next = try server.browser(try await server.login(ada.email, headers: ada.headers), ada.email)
            let late = try await ada.send(.get, "/v1/me")
            try late.expect(.unauthenticated)
            #expect(late["Set-Cookie"] == nil)
            #expect(try await next.isSignedIn())
        }
    }

    @Test func `that is over keeps nobody from what strangers may do`() async throws {
        try await TestServer.with { server in
            let ada = try await server.registerInBrowser()
            #expect(try await ada.send(.delete, "/v1/sessions?all=true").status == .noContent)
            for cookie in [ada.cookie, "parley=x"] {
                var stale = ada
                stale.cookie = cookie
                let again = try server.browser(try await server.login(ada.email, headers: stale.headers), ada.email)
                #expect(try await again.isSignedIn())
                let body: JSONValue = .object([
                    "email": .string("\(WireID())@example.org"), "password": .string("correct horse"),
                    "session": .string("cookie"),
                ])
                let registered = try await stale.send(.post, "/v1/auth/register", body: body)
                #expect(registered.status == .created && registered["Set-Cookie"]?.hasPrefix("parley=") == true)
                let address: JSONValue = .object(["email": .string(ada.email)])
                let forgot = try await stale.send(.post, "/v1/auth/password/forgot", body: address)
                #expect(forgot.status == .accepted)
                for path in ["/v1/auth/providers", "/openapi.yaml", "/healthz"] {
                    #expect(try await stale.send(.get, path).status == .ok, "\(path)")
                }
            }
        }
    }

    @Test func `leaves nothing in the browser that signs out`() async throws {
        try await TestServer.with { server in
            let ada = try await server.registerInBrowser()
            let ways: [(HTTPRequest.Method, @Sendable (Browser) -> String)] = [
                (.post, { _ in "/v1/auth/logout" }), (.delete, { "/v1/sessions/\($0.session.session.id)" }),
                (.delete, { _ in "/v1/sessions?all=true" }), (.delete, { _ in "/v1/me" }),
            ]
            for (method, path) in ways {
                let browser = try await server.loginInBrowser(ada.email)
                let answer = try await browser.send(method, path(browser))
                #expect(answer.status == .noContent)
                #expect(answer["Clear-Site-Data"] == #""cache", "cookies", "storage""#)
                #expect(answer.headers[values: .setCookie] == [Self.gone])
                #expect(try await browser.isSignedIn() == false)
            }
        }
    }

    @Test func `is listed, ended and kept like those of phones`() async throws {
        try await TestServer.with { server in
            let browser = try await server.registerInBrowser()
            let other = try await server.loginInBrowser(browser.email)
            let body = ["email": browser.email, "password": "correct horse"].mapValues { JSONValue.string($0) }
            let session = try await server.send(.post, "/v1/auth/login", body: .object(body)).decode(Session.self)
            let phone = Person(server: server, session: session, email: browser.email)
            let listed = try await browser.send(.get, "/v1/sessions").decode(ListPage<ListedSession>.self)
            #expect(listed.items.map(\.kind) == [.tokens, .cookie, .cookie])
            #expect(listed.items.map(\.current) == [false, false, true])
            #expect(listed.items.map(\.deviceName) == [nil, "Chrome", nil])
            // By a phone, and by a browser.
            #expect(try await phone.send(.delete, "/v1/sessions/\(other.session.session.id)").status == .noContent)
            #expect(try await other.isSignedIn() == false)
            let new: JSONValue = .object([
                "currentPassword": .string("correct horse"), "newPassword": .string("better battery"),
            ])
            #expect(try await browser.send(.post, "/v1/auth/password/change", body: new).status == .noContent)
            try await phone.send(.get, "/v1/me").expect(.unauthenticated)
            #expect(try await browser.isSignedIn())
            let answer = try await browser.send(.delete, "/v1/sessions")
            #expect(answer.status == .noContent && answer["Clear-Site-Data"] == nil)
            #expect(try await browser.isSignedIn())
        }
    }

    @Test func `follows another in one browser, which ends`() async throws {
        try await TestServer.with { server in
            let before = try await server.registerInBrowser()
            let refused = try await server.login(before.email, "wrong horse", headers: before.headers)
            #expect(refused.status == .unauthorized)
            #expect(try await before.isSignedIn())
            #expect(try await server.login(before.email, headers: before.headers).status == .ok)
            #expect(try await before.isSignedIn() == false)
        }
    }

    @Test func `opens files without a capability`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.registerInBrowser(), try await server.register("Bob"))
            let talk = try await ada.send(.put, "/v1/conversations/direct/\(bob.id)").decode(Conversation.self)
            let file = try await bob.upload(Array("Dear diary".utf8))
            #expect(try await bob.send([file], in: talk.id).status == .created)
            let path = "/v1/attachments/\(file.id)/content"
            let answer = try await ada.send(.get, path)
            #expect(answer.status == .ok && answer.text == "Dear diary")
            #expect(answer["Vary"] == "Authorization, Cookie")
            try await ada.send(.get, path, headers: [.secFetchSite: "cross-site"]).expect(.forbidden)
            try await server.send(.get, path).expect(.unauthenticated)
            let eve = try await server.registerInBrowser("Eve")
            try await eve.send(.get, path).expect(.notFound)
            _ = try await ada.send(.post, "/v1/auth/logout")
            try await ada.send(.get, path).expect(.unauthenticated)
        }
    }

    @Test func `is renewed while it is used, by answers that nobody keeps`() async throws {
        let clock = Mutex(Date())
        try await TestServer.with {
            $0.now = { clock.withLock { $0 } }
        } _: { server in
            let ada = try await server.registerInBrowser()
            let file = WireID()
            let bytes = try await server.bring(
                .put,
                "/v1/attachments/\(file)?kind=file&name=a.txt",
                headers: [.cookie: ada.cookie, .secFetchSite: "same-origin", .contentType: "text/plain"],
                Array("a".utf8)
            )
            #expect(bytes.status == .created)
            #expect(try await ada.send(.get, "/v1/me")["Set-Cookie"] == nil)
            clock.withLock { $0 += 25 * 86_400 }
            let content = try await ada.send(.get, "/v1/attachments/\(file)/content")
            #expect(content.status == .ok && content["Set-Cookie"] == nil)
            let renewed = try await ada.send(.get, "/v1/me")["Set-Cookie"]
            #expect(renewed == "\(ada.cookie); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000")
            #expect(try await ada.send(.get, "/v1/me")["Set-Cookie"] == nil)
            clock.withLock { $0 += 25 * 86_400 }
            #expect(try await ada.isSignedIn())
            clock.withLock { $0 += 31 * 86_400 }
            #expect(try await ada.isSignedIn() == false)
        }
    }
}
