import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Identity
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Edge

@Suite(.database) struct RateLimitingTests {
    private static let day: Duration = .seconds(86_400)

    @Test func `every route has one class`() async throws {
        try await TestServer.with { server in
            let routes = buildRoutes(server.dependencies).routes
            let forgotten = routes.filter { RouteClasses.routeClass(of: $0.method, $0.path) == nil }
            #expect(forgotten.map { "\($0.method.rawValue) \($0.path)" } == [])
        }
    }

    @Test func `forged tokens are not checked any more where too many came from, and known ones still pass`()
        async throws
    {
        try await TestServer.with {
            $0.rates = [.forgedToken: RateLimit(2, per: Self.day)]
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            #expect(try await ada.send(.get, "/v1/me").status == .ok)
            let parts = bob.session.accessToken.split(separator: ".")
            let forged = "\(parts[0]).\(parts[1]).AAAA\(parts[2].dropFirst(4))"
            func answer(to token: String) async throws -> Answer {
                try await server.send(.get, "/v1/me", headers: [.authorization: "Bearer \(token)"])
            }
            for _ in 0..<2 { try await answer(to: forged).expect(.unauthenticated) }
            let refused = try await answer(to: forged)
            try refused.expect(.rateLimited)
            #expect(refused["Retry-After"] != nil)
            // What is no token of ours costs no check; what was checked before needs none.
            try await answer(to: "none.of.ours").expect(.unauthenticated)
            #expect(try await ada.send(.get, "/v1/me").status == .ok)
            try await bob.send(.get, "/v1/me").expect(.rateLimited)
        }
    }

    @Test func `tokens of bots and operators that were right before pass where too many forged ones came from`()
        async throws
    {
        try await Operated.with(.act) {
            $0.rates = [.forgedToken: RateLimit(2, per: Self.day)]
        } _: { operated in
            // With the operator's token, which is known from then on.
            let (bot, late) = (try await operated.makeBot("Helper"), try await operated.makeBot("Latecomer"))
            #expect(try await bot.send(.get, "/v1/me").status == .ok)
            let token = "parley_bot_" + String(repeating: "A", count: 64)
            let forged = MadeBot(server: bot.server, id: bot.id, tokenID: bot.tokenID, token: token)
            for _ in 0..<2 { try await forged.send(.get, "/v1/me").expect(.unauthenticated) }
            try await forged.send(.get, "/v1/me").expect(.rateLimited)
            try await late.send(.get, "/v1/me").expect(.rateLimited)
            #expect(try await bot.send(.get, "/v1/me").status == .ok)
            // One that was right and is revoked is no better than a forged one.
            let revoking = "/admin/v1/bots/\(bot.id)/tokens/\(bot.tokenID)"
            #expect(try await operated.send(.delete, revoking).status == .noContent)
            try await bot.send(.get, "/v1/me").expect(.unauthenticated)
            try await bot.send(.get, "/v1/me").expect(.rateLimited)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `whoever asks too often costs no query, by a bot's token or by a URL`()
        async throws
    {
        try await Operated.with(.act) {
            $0.rates = [.bot: RateLimit(1, per: Self.day), .download: RateLimit(1, per: Self.day)]
        } _: { operated in
            let server = operated.server
            let bot = try await operated.makeBot("Helper")
            let file = try await server.register("Ada").upload(Array("Dear diary".utf8))
            #expect(try await bot.send(.get, "/v1/me").status == .ok)
            #expect(try await server.bring(.get, file.url).status == .ok)
            try await TestDatabase.current.administrator.withTransaction { connection in
                // Whoever asks for a session waits.
                try await connection.execute("LOCK TABLE parley.sessions IN ACCESS EXCLUSIVE MODE")
                let refused = try await bot.send(.get, "/v1/me")
                try refused.expect(.rateLimited)
                #expect(refused["RateLimit"]?.hasPrefix(#""bot";r=0;t="#) == true)
                try await server.bring(.get, file.url).expect(.rateLimited)
            }
        }
    }

    @Test func `sending beyond the limit is refused, and says when to come again`() async throws {
        try await TestServer.with {
            $0.rates = [.send: RateLimit(3, per: Self.day)]
        } _: { server in
            let ada = try await server.register("Ada")
            let bob = try await server.register("Bob")
            let conversation = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(conversation.id)/messages"
            for left in [2, 1, 0] {
                let answer = try await ada.send(.post, path, body: .object(["text": .string("Hi")]))
                #expect(answer.status == .created)
                #expect(answer["RateLimit-Policy"] == #""send";q=3;w=86400"#)
                #expect(answer["RateLimit"]?.hasPrefix("\"send\";r=\(left);t=") == true)
            }
            let refused = try await ada.send(.post, path, body: .object(["text": .string("Hi")]))
            try refused.expect(.rateLimited)
            #expect(try refused.problem().retryable)
            let seconds = try #require(refused["Retry-After"].flatMap { Int($0) })
            #expect((28_700...28_800).contains(seconds))
            #expect(refused["RateLimit"]?.hasPrefix(#""send";r=0;t="#) == true)
            // The other, and other classes, are not concerned.
            #expect(try await bob.send(.post, path, body: .object(["text": .string("Hi")])).status == .created)
            #expect(try await ada.send(.get, path).status == .ok)
        }
    }

    @Test func `a caller sees the limits without using them up`() async throws {
        try await TestServer.with {
            $0.rates = [.read: RateLimit(4, per: Self.day)]
        } _: { server in
            let ada = try await server.register()
            var reads = 0
            for left in [4, 4, 3] {
                let items = try await ada.get(RateLimitsAnswer.self, "/v1/rate-limits").items
                let read = try #require(items.first { $0.policy == "read" })
                #expect((read.quota, read.windowSeconds, read.remaining) == (4, 86_400, left))
                #expect(!items.contains { $0.policy.hasPrefix("login") || $0.policy == "change" })
                if left == 4 { reads += 1 }
                if reads == 2 { _ = try await ada.send(.head, "/v1/me") }
            }
        }
    }

    @Test func `signing in is limited by account, known or not, before the password is looked at`() async throws {
        try await TestServer.with {
            $0.rates = [
                .loginAccount: RateLimit(3, per: Self.day), .loginAddress: RateLimit(100, per: Self.day),
            ]
        } _: { server in
            let ada = try await server.register()
            for email in [ada.email, "nobody@example.org", "no email at all"] {
                for left in [2, 1, 0] {
                    let answer = try await Self.login(email, "wrong horse", on: server)
                    try answer.expect(.invalidCredentials)
                    #expect(answer["RateLimit"]?.contains("\"login-account\";r=\(left);") == true)
                    #expect(answer["RateLimit"]?.hasPrefix(#""login-address";r="#) == true)
                }
                try await Self.login(email, "correct horse", on: server).expect(.rateLimited)
                try await Self.login(email.uppercased(), "correct horse", on: server).expect(.rateLimited)
            }
        }
    }

    @Test func `signing in to many accounts from one address is limited, whatever the address says`() async throws {
        try await TestServer.with {
            $0.setup = .live
            $0.rates = [.loginAddress: RateLimit(4, per: Self.day)]
        } _: { server in
            for index in 0..<4 {
                try await Self.login("a\(index)@example.org", "wrong horse", on: server, from: "198.51.100.\(index)")
                    .expect(.invalidCredentials)
            }
            try await Self.login("b@example.org", "wrong horse", on: server, from: "198.51.100.9").expect(.rateLimited)
            #expect(try await server.send(.get, "/healthz").status == .ok)
        }
    }

    @Test func `behind a trusted proxy clients count by their own addresses`() async throws {
        try await TestServer.with {
            $0.setup = .live
            $0.rates = [.loginAddress: RateLimit(1, per: Self.day)]
            $0.edge.trustedProxies = TrustedProxies(["127.0.0.0/8", "::1"]) ?? .none
        } _: { server in
            for address in ["198.51.100.1", "198.51.100.2", "2001:db8:1::1", "2001:db8:2::1"] {
                try await Self.login("a@example.org", "wrong horse", on: server, from: address)
                    .expect(.invalidCredentials)
            }
            for address in ["198.51.100.1", "6.6.6.6, 198.51.100.2", "2001:db8:1::2", "[2001:db8:2::2]:443"] {
                try await Self.login("a@example.org", "wrong horse", on: server, from: address).expect(.rateLimited)
            }
        }
    }

    @Test func `registering is limited by address`() async throws {
        try await TestServer.with {
            $0.rates = [.register: RateLimit(2, per: Self.day)]
        } _: { server in
            for status in [HTTPResponse.Status.created, .created, .tooManyRequests] {
                let body = #"{"email": "\#(UUID().uuidString)@example.org", "password": "correct horse"}"#
                #expect(try await server.send(.post, "/v1/auth/register", text: body).status == status)
            }
            let accounts = try await TestDatabase.current.pool.query("SELECT 1 FROM parley.accounts")
            #expect(accounts.count == 2)
        }
    }

    @Test func `without limits nothing is counted, and answers say nothing of limits`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let answer = try await ada.send(.get, "/v1/rate-limits")
            #expect(answer.text == #"{"items":[]}"#)
            #expect(try await ada.send(.get, "/v1/me")["RateLimit"] == nil)
        }
    }

    private static func login(
        _ email: String,
        _ password: String,
        on server: TestServer,
        from address: String? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        headers[.forwardedFor] = address
        let body: JSONValue = .object(["email": .string(email), "password": .string(password)])
        return try await server.send(.post, "/v1/auth/login", headers: headers, body: body)
    }
}
