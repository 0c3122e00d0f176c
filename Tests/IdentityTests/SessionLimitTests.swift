import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `The sessions of an account` {
    @Test func `are so many at most: a login beyond ends the one unseen the longest`() async throws {
        let server = try await TestIdentity.open { $0.sessionLimit = 3 }
        var signedIn = [try await server.register()]
        let stranger = try await server.register("bob@example.org")
        for _ in 0..<2 {
            server.clock.advance(by: 60)
            signedIn.append(try await server.login())
        }
        // The oldest one is used, and so the second is unseen the longest.
        server.clock.advance(by: 60)
        _ = try await server.identity.authenticate(bearer: signedIn[0].accessToken.exposed)
        try await server.identity.writeLastSeen()
        signedIn.append(try await server.login())
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.authenticate(bearer: signedIn[1].accessToken.exposed)
        }
        for place in [0, 2, 3] {
            _ = try await server.identity.authenticate(bearer: signedIn[place].accessToken.exposed)
        }
        _ = try await server.identity.authenticate(bearer: stranger.accessToken.exposed)
    }

    @Test func `stay within the limit when many sign in at once`() async throws {
        let server = try await TestIdentity.open { $0.sessionLimit = 4 }
        let account = try await server.register().userID
        try await withThrowingTaskGroup { group in
            for _ in 0..<24 { group.addTask { _ = try await server.login() } }
            try await group.waitForAll()
        }
        #expect(try await server.identity.sessions(of: account, after: nil, limit: 50).sessions.count == 4)
    }

    @Test func `are noted as seen when they are used, once for many requests`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        let unused = try await server.login()
        server.clock.advance(by: 300)
        for _ in 0..<50 { _ = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed) }
        #expect(server.identity.lastSeen.take().count == 1)
        _ = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        try await server.identity.writeLastSeen()
        let list = try await server.identity.sessions(of: signedIn.userID, after: nil, limit: 10).sessions
        let seen = Dictionary(uniqueKeysWithValues: list.map { ($0.id, $0.lastSeenAt) })
        #expect(seen[signedIn.session.id] == server.clock.now)
        #expect(seen[unused.session.id] == server.clock.now - 300)
        // An older note, of a server whose writing was held up, takes nothing back.
        try await server.identity.sessions.markSeen([signedIn.session.id: server.clock.now - 60])
        let again = try await server.identity.sessions(of: signedIn.userID, after: nil, limit: 10).sessions
        #expect(again.contains { $0.lastSeenAt == server.clock.now })
    }

    @Test func `are noted as seen at the end, and after a failure`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        server.clock.advance(by: 120)
        _ = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        let administrator = TestDatabase.current.administrator
        try await administrator.execute("ALTER TABLE parley.sessions RENAME TO elsewhere")
        await #expect(throws: PostgresError.self) { try await server.identity.writeLastSeen() }
        try await administrator.execute("ALTER TABLE parley.elsewhere RENAME TO sessions")
        try await server.identity.writeLastSeen()
        let list = try await server.identity.sessions(of: signedIn.userID, after: nil, limit: 10).sessions
        #expect(list.map(\.lastSeenAt) == [server.clock.now])
    }

    @Test func `wait for nobody who holds one of their rows`() async throws {
        let server = try await TestIdentity.open()
        let held = try await server.register()
        let free = try await server.login()
        server.clock.advance(by: 120)
        for session in [held, free] { _ = try await server.identity.authenticate(bearer: session.accessToken.exposed) }
        try await TestDatabase.current.administrator.withTransaction { connection in
            try await connection.execute(
                "SELECT 1 FROM parley.sessions WHERE session_id = \(held.session.id) FOR UPDATE"
            )
            try await server.identity.writeLastSeen()
        }
        let list = try await server.identity.sessions(of: held.userID, after: nil, limit: 10).sessions
        #expect(list.first { $0.id == free.session.id }?.lastSeenAt == server.clock.now)
        #expect(list.first { $0.id == held.session.id }?.lastSeenAt == server.clock.now - 120)
    }

    @Test func `that are remembered as seen are bounded`() {
        let lastSeen = LastSeen(limit: 2)
        let ids = (0..<3).map { _ in UUID() }
        for id in ids { lastSeen.note(id, at: .distantPast) }
        lastSeen.note(ids[0], at: .distantFuture)
        lastSeen.note(ids[0], at: .distantPast)
        let seen = lastSeen.take()
        #expect(seen.count == 2)
        #expect(seen[ids[0]] == .distantFuture)
        #expect(lastSeen.take().isEmpty)
    }

    @Test func `do not outlive a change of the password that a login ran into`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        let user = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        // The login has found its password right, and then the change comes in between.
        let account = try #require(try await server.identity.accounts.find(id: user.userID))
        try await server.identity.changePassword(
            of: user,
            current: Secret("correct horse"),
            new: Secret("better battery")
        )
        let late = try await server.identity.sessions.start(
            for: account.id,
            passwordVersion: account.passwordVersion,
            deviceName: nil,
            at: server.clock.now
        )
        #expect(late == nil)
        _ = try await server.login(password: "better battery")
    }

    @Test func `wait with a login for a change of the password that is under way`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        let database = TestDatabase.current
        let login = try await database.administrator.withTransaction { connection in
            let changed = try await server.identity.accounts.changePassword(
                of: signedIn.userID,
                from: 0,
                to: Secret("another hash"),
                on: connection
            )
            #expect(changed)
            let login = Task { try await server.login() }
            var waiting = 0
            while waiting == 0 {
                waiting = try await connection.query("SELECT 1 FROM pg_locks WHERE NOT granted").count
            }
            return login
        }
        await #expect(throws: IdentityError.invalidCredentials) { try await login.value }
    }

    @Test func `end with a changed password, but for the one that changed it`() async throws {
        let server = try await TestIdentity.open()
        let here = try await server.register()
        let there = try await server.login()
        let user = try await server.identity.authenticate(bearer: here.accessToken.exposed)
        func change(_ current: String, _ new: String) async throws {
            try await server.identity.changePassword(of: user, current: Secret(current), new: Secret(new))
        }
        await #expect(throws: IdentityError.invalidCredentials) { try await change("wrong horse", "better battery") }
        await #expect(throws: IdentityError.self) { try await change("correct horse", "short") }
        _ = try await server.identity.authenticate(bearer: there.accessToken.exposed)
        try await change("correct horse", "better battery")
        _ = try await server.identity.authenticate(bearer: here.accessToken.exposed)
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.authenticate(bearer: there.accessToken.exposed)
        }
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.refresh(there.refreshToken.exposed)
        }
        _ = try await server.identity.refresh(here.refreshToken.exposed)
        await #expect(throws: IdentityError.invalidCredentials) { try await server.login() }
        _ = try await server.login(password: "better battery")
    }

    @Test func `survive when no password was there to be changed`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        let user = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        try await TestDatabase.current.administrator.execute("UPDATE parley.accounts SET password_hash = NULL")
        for current in ["", "correct horse", "the password of nobody"] {
            await #expect(throws: IdentityError.invalidCredentials) {
                try await server.identity.changePassword(of: user, current: Secret(current), new: Secret("new horse 1"))
            }
        }
    }
}
