import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

/// Sessions that browsers hold by cookies.
@Suite(.database) struct Cookies {
    private static let day: TimeInterval = 86_400

    private static func browser(_ server: TestIdentity, _ deviceName: String? = nil) async throws -> SignedInBrowser {
        let login = Login(
            email: "ada@example.org",
            password: Secret("correct horse"),
            deviceName: deviceName
        )
        let signedIn = try await server.identity.loginInBrowser(login)
        SecretWatch.add(signedIn.cookie.value.exposed)
        return signedIn
    }

    private static func user(_ server: TestIdentity, _ cookie: SessionCookie) async throws -> AuthenticatedUser {
        try await server.identity.authenticate(cookie: cookie.value.exposed).user
    }

    private static func expectRefusal(_ server: TestIdentity, _ text: String) async {
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.authenticate(cookie: text)
        }
    }

    private static func change(_ sql: SQL) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            _ = try await connection.execute(sql)
        }
    }

    @Test func `hold sessions like any other`() async throws {
        let server = try await TestIdentity.open()
        let phone = try await server.register(deviceName: "Phone")
        let browser = try await Self.browser(server, "Chrome")
        let user = try await Self.user(server, browser.cookie)
        #expect(user.userID == phone.userID && user.sessionID == browser.session.id)
        let listed = try await server.identity.sessions(of: phone.userID, after: nil, limit: 10).sessions
        #expect(Set(listed.map(\.deviceName)) == ["Chrome", "Phone"])
        #expect(listed.allSatisfy { $0.isBrowser == ($0.deviceName == "Chrome") })
        #expect(try await server.identity.hasJustSignedIn(user))
        try await server.identity.changePassword(
            of: user,
            current: Secret("correct horse"),
            new: Secret("better battery")
        )
        #expect(try await Self.user(server, browser.cookie) == user)
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.authenticate(bearer: phone.accessToken.exposed)
        }
    }

    @Test func `are refused once their session has ended, by other servers too`() async throws {
        let (one, other) = (try await TestIdentity.open(), try await TestIdentity.open())
        _ = try await one.register()
        let (first, second) = (try await Self.browser(one), try await Self.browser(one))
        for server in [one, other] {
            for browser in [first, second] { _ = try await Self.user(server, browser.cookie) }
        }
        try await one.identity.logout(try await Self.user(one, first.cookie))
        await Self.expectRefusal(one, first.cookie.value.exposed)
        try await other.identity.revocations.refresh(ifOlderThan: .zero)
        await Self.expectRefusal(other, first.cookie.value.exposed)
        // Whoever has never seen it asks the database.
        await Self.expectRefusal(try await TestIdentity.open(), first.cookie.value.exposed)
        try await one.identity.logout(cookie: second.cookie.value.exposed)
        await Self.expectRefusal(one, second.cookie.value.exposed)
        try await one.identity.logout(cookie: second.cookie.value.exposed)
        try await one.identity.logout(cookie: "x")
    }

    @Test func `pass for no other secret, nor others for them`() async throws {
        let server = try await TestIdentity.open()
        let phone = try await server.register()
        let cookie = try await Self.browser(server).cookie.value.exposed
        await #expect(throws: IdentityError.unauthenticated) { try await server.identity.refresh(cookie) }
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.authenticate(bearer: cookie)
        }
        for text in ["", "x", cookie + "A", String(cookie.dropLast()), String(cookie.reversed())] {
            await Self.expectRefusal(server, text)
        }
        for text in [phone.refreshToken.exposed, phone.accessToken.exposed] { await Self.expectRefusal(server, text) }
        let strange = MasterKeys(SymmetricKey(size: .bits256))
        #expect(CookieTokens(masterKeys: strange, IdentityConfiguration()).read(cookie) == nil)
        #expect(try await server.identity.authenticate(cookie: cookie).user.userID == phone.userID)
    }

    @Test func `cost no query while they are known`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register()
        let browser = try await Self.browser(server)
        let user = try await Self.user(server, browser.cookie)
        // What a query would find is no such session.
        try await Self.change("UPDATE parley.sessions SET is_browser = false")
        server.clock.advance(by: 7 * 60)
        #expect(try await Self.user(server, browser.cookie) == user)
        server.clock.advance(by: 60)
        await Self.expectRefusal(server, browser.cookie.value.exposed)
        // That it is over is known from then on.
        try await Self.change("UPDATE parley.sessions SET is_browser = true")
        await Self.expectRefusal(server, browser.cookie.value.exposed)
    }

    @Test func `are good for as long as they are used, and keep their secret`() async throws {
        let server = try await TestIdentity.open { $0.refreshTokenLifetime = .seconds(30 * Self.day) }
        _ = try await server.register()
        var cookie = try await Self.browser(server).cookie
        #expect(cookie.lifetime == .seconds(30 * Self.day))
        for _ in 0..<3 {
            server.clock.advance(by: 25 * Self.day)
            #expect(try await server.identity.authenticate(cookie: cookie.value.exposed).isDue)
            let renewed = try #require(await server.identity.renew(cookie: cookie.value.exposed))
            #expect(renewed == cookie)
            cookie = renewed
            #expect(try await server.identity.authenticate(cookie: cookie.value.exposed).isDue == false)
        }
        server.clock.advance(by: 30 * Self.day + 1)
        await Self.expectRefusal(server, cookie.value.exposed)
        #expect(await server.identity.renew(cookie: cookie.value.exposed) == nil)
    }

    @Test func `are renewed once a day, by one of the requests that come together`() async throws {
        let server = try await TestIdentity.open { $0.refreshTokenLifetime = .seconds(30 * Self.day) }
        _ = try await server.register()
        let cookie = try await Self.browser(server).cookie
        server.clock.advance(by: Self.day - 1)
        #expect(try await server.identity.authenticate(cookie: cookie.value.exposed).isDue == false)
        server.clock.advance(by: 2)
        #expect(try await server.identity.authenticate(cookie: cookie.value.exposed).isDue)
        let renewed = await withTaskGroup(of: SessionCookie?.self) { group in
            for _ in 0..<8 { group.addTask { await server.identity.renew(cookie: cookie.value.exposed) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(renewed.count { $0 != nil } == 1)
    }

    @Test func `are not renewed for a session that has ended`() async throws {
        let (one, other) = (try await TestIdentity.open(), try await TestIdentity.open())
        _ = try await one.register()
        let cookie = try await Self.browser(one).cookie
        for server in [one, other] { server.clock.advance(by: 2 * Self.day) }
        _ = try await Self.user(one, cookie)
        try await other.identity.logout(cookie: cookie.value.exposed)
        #expect(await one.identity.renew(cookie: cookie.value.exposed) == nil)
        await Self.expectRefusal(try await TestIdentity.open(clock: one.clock), cookie.value.exposed)
    }

    @Test func `outlast a change of the master key where they are used meanwhile`() async throws {
        let old = try await TestIdentity.open()
        _ = try await old.register()
        let (used, unused) = (try await Self.browser(old).cookie, try await Self.browser(old).cookie)
        old.clock.advance(by: 2 * Self.day)
        let key = SymmetricKey(size: .bits256)
        let both = try await TestIdentity.open(masterKey: key, other: TestIdentity.masterKey, clock: old.clock)
        let user = try await Self.user(both, used)
        let renewed = try #require(await both.identity.renew(cookie: used.value.exposed))
        #expect(renewed != used)
        #expect(try await Self.user(both, renewed) == user)
        let rotation = KeyRotation(
            pool: TestDatabase.current.administrator,
            masterKeys: MasterKeys(key, other: TestIdentity.masterKey)
        )
        #expect(try await rotation.rewrap() == 1)
        let new = try await TestIdentity.open(masterKey: key, clock: old.clock)
        #expect(try await Self.user(new, renewed).sessionID == user.sessionID)
        await Self.expectRefusal(new, unused.value.exposed)
    }

    @Test func `end a stream with half of an access token's time at least, and never after the session`() async throws {
        let server = try await TestIdentity.open { $0.refreshTokenLifetime = .seconds(30 * Self.day) }
        _ = try await server.register()
        let cookie = try await Self.browser(server).cookie
        for _ in 0..<20 {
            let user = try await Self.user(server, cookie)
            let left = user.tokenExpiresAt.timeIntervalSince(server.clock.now)
            #expect(left > 7 * 60 && left <= 15 * 60)
            server.clock.advance(by: 97)
        }
        server.clock.advance(by: 30 * Self.day - 20 * 97 - 30)
        let end = try await Self.user(server, cookie).tokenExpiresAt
        #expect(end.timeIntervalSince(server.clock.now) <= 31)
    }
}
