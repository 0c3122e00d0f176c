import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `A session that ends` {
    @Test func `is refused at once by the server that ended it, which tells its streams once`() async throws {
        let server = try await TestIdentity.open()
        let ended = Mutex<[UUID]>([])
        server.identity.revocations.onRevoked { session in ended.withLock { $0.append(session) } }
        let signedIn = try await server.register()
        let other = try await server.login()
        let user = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        #expect(!server.identity.revocations.isRevoked(user.sessionID))
        try await server.identity.logout(user)
        try await server.identity.logout(user)
        try await server.identity.revocations.refresh(ifOlderThan: .zero)
        #expect(ended.withLock { $0 } == [user.sessionID])
        #expect(server.identity.revocations.isRevoked(user.sessionID))
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        }
        _ = try await server.identity.authenticate(bearer: other.accessToken.exposed)
    }

    @Test func `is refused by other servers as soon as they read of it`() async throws {
        let here = try await TestIdentity.open()
        let there = try await TestIdentity.open()
        let signedIn = try await here.register()
        let user = try await there.identity.authenticate(bearer: signedIn.accessToken.exposed)
        try await here.identity.logout(user)
        try await there.identity.revocations.refresh(ifOlderThan: .zero)
        await #expect(throws: IdentityError.unauthenticated) {
            try await there.identity.authenticate(bearer: signedIn.accessToken.exposed)
        }
        // A server that starts later knows it too.
        let later = try await TestIdentity.open()
        await #expect(throws: IdentityError.unauthenticated) {
            try await later.identity.authenticate(bearer: signedIn.accessToken.exposed)
        }
    }

    @Test func `is told to the streams of other servers, which follow along`() async throws {
        let here = try await TestIdentity.open()
        let there = try await TestIdentity.open()
        let (sessions, continuation) = AsyncStream<UUID>.makeStream()
        there.identity.revocations.onRevoked { continuation.yield($0) }
        let signedIn = try await here.register()
        try await withThrowingTaskGroup { group in
            group.addTask { try await there.identity.run() }
            let user = try await here.identity.authenticate(bearer: signedIn.accessToken.exposed)
            try await here.identity.logout(user)
            var iterator = sessions.makeAsyncIterator()
            #expect(await iterator.next() == signedIn.session.id)
            group.cancelAll()
        }
    }

    @Test func `is known to another server at once where that gets a hint`() async throws {
        let here = try await TestIdentity.open()
        let there = try await TestIdentity.open()
        let (sessions, continuation) = AsyncStream<UUID>.makeStream()
        there.identity.revocations.onRevoked { continuation.yield($0) }
        here.identity.revocations.onEndedHere { there.identity.revocations.hint() }
        let signedIn = try await here.register()
        let user = try await here.identity.authenticate(bearer: signedIn.accessToken.exposed)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await there.identity.revocations.followHints() }
            try await here.identity.logout(user)
            var iterator = sessions.makeAsyncIterator()
            #expect(await iterator.next() == signedIn.session.id)
            group.cancelAll()
        }
    }

    @Test func `is not asked for where nobody asks and others would say so`() async throws {
        let here = try await TestIdentity.open()
        let there = try await TestIdentity.open()
        let revocations = there.identity.revocations
        let signedIn = try await here.register()
        try await revocations.poll(inEach: .zero)
        try await here.identity.sessions.end(signedIn.session.id)
        revocations.rest { true }
        try await revocations.poll(inEach: .zero)
        #expect(!revocations.isRevoked(signedIn.session.id))
        // Somebody else has come.
        revocations.rest { false }
        try await revocations.poll(inEach: .zero)
        #expect(revocations.isRevoked(signedIn.session.id))
    }

    @Test func `is asked for all along where requests ask`() async throws {
        let here = try await TestIdentity.open()
        let there = try await TestIdentity.open()
        let revocations = there.identity.revocations
        let (ended, live) = (try await here.register(), try await here.login())
        revocations.rest { true }
        try await revocations.requireLive(live.session.id)
        try await here.identity.sessions.end(ended.session.id)
        try await revocations.poll(inEach: .zero)
        #expect(revocations.isRevoked(ended.session.id))
    }

    @Test func `is refused even when more have ended than a server keeps in memory`() async throws {
        let server = try await TestIdentity.open()
        let pool = TestDatabase.current.pool
        let small = Revocations(pool: pool, window: 3600, limit: 3)
        var sessions: [UUID] = []
        _ = try await server.register()
        for _ in 0..<8 {
            let session = try await server.login().session.id
            try await server.identity.sessions.end(session)
            sessions.append(session)
        }
        let live = try await server.login().session.id
        for session in sessions {
            await #expect(throws: IdentityError.unauthenticated) { try await small.requireLive(session) }
        }
        try await small.requireLive(live)
        #expect(small.isRevoked(sessions[7]))
    }

    @Test func `leaves many requests of other sessions at once alone`() async throws {
        let server = try await TestIdentity.open()
        let ended = try await server.register()
        let live = try await server.login()
        try await server.identity.sessions.end(ended.session.id)
        // A server that has read nothing yet: all of these meet in its first query.
        let fresh = try await TestIdentity.open()
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask { _ = try await fresh.identity.authenticate(bearer: live.accessToken.exposed) }
                group.addTask {
                    await #expect(throws: IdentityError.unauthenticated) {
                        try await fresh.identity.authenticate(bearer: ended.accessToken.exposed)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `is not forgotten when it ends while the server reads what others ended`() async throws {
        let database = TestDatabase.current
        let revocations = Revocations(pool: database.pool, window: 3600)
        let session = UUID()
        let reading = try await database.administrator.withTransaction { connection in
            try await connection.execute("LOCK TABLE parley.sessions IN ACCESS EXCLUSIVE MODE")
            let reading = Task { try await revocations.refresh(ifOlderThan: .zero) }
            var waiting = 0
            while waiting == 0 {
                waiting = try await connection.query(
                    "SELECT 1 FROM pg_locks WHERE relation = 'parley.sessions'::regclass AND NOT granted"
                ).count
            }
            revocations.sessionEnded(session)
            return reading
        }
        try await reading.value
        #expect(revocations.isRevoked(session))
        try await revocations.refresh(ifOlderThan: .zero)
        #expect(!revocations.isRevoked(session))
    }

    @Test func `is found out by the others when the request that was reading goes away`() async throws {
        let server = try await TestIdentity.open()
        let live = try await server.register().session.id
        for _ in 0..<20 {
            let fresh = Revocations(pool: TestDatabase.current.pool, window: 3600)
            let first = Task { try await fresh.requireLive(live) }
            let second = Task { try await fresh.requireLive(live) }
            first.cancel()
            try await second.value
            _ = await first.result
        }
    }

    @Test func `cannot be told apart while the database is away, so nobody is let in`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        let unreachable = PostgresPool(
            PostgresConfiguration(url: "postgresql:///none?host=/nonexistent"),
            checkoutTimeout: .milliseconds(1),
            logger: server.identity.logger
        )
        let blind = Revocations(pool: unreachable, window: 3600)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await #expect(throws: PostgresConnectionError.self) {
                        try await blind.requireLive(signedIn.session.id)
                    }
                }
            }
        }
        await unreachable.close()
    }

    @Test func `is deleted when its tokens are long dead, and not before`() async throws {
        let server = try await TestIdentity.open()
        let administrator = TestDatabase.current.administrator
        let ended = try await server.register().session.id
        let endedLongAgo = try await server.login().session.id
        let expired = try await server.login().session.id
        let live = try await server.login().session.id
        try await server.identity.sessions.end(ended)
        try await administrator.execute(
            "UPDATE parley.sessions SET revoked_at = now() - interval '25 hours' WHERE session_id = \(endedLongAgo)"
        )
        try await administrator.execute(
            "UPDATE parley.sessions SET refresh_expires_at = now() - interval '25 hours' WHERE session_id = \(expired)"
        )
        #expect(try await server.identity.sessions.deleteDead() == 2)
        let left = try await administrator.query("SELECT session_id FROM parley.sessions")
        #expect(Set(try left.map { try $0.decode(0, as: UUID.self) }) == [ended, live])
    }
}
