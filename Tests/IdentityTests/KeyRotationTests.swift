import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `Changing the signing key` {
    private var rotation: KeyRotation {
        KeyRotation(pool: TestDatabase.current.pool, masterKeys: MasterKeys(TestIdentity.masterKey))
    }

    private func keyID(of signedIn: SignedIn) throws -> String {
        let header = try #require(signedIn.accessToken.exposed.split(separator: ".").first)
        let json = try JSONSerialization.jsonObject(with: Data(try #require(Base64URL.decode(header))))
        return try #require((json as? [String: String])?["kid"])
    }

    private func accepts(_ server: TestIdentity, _ signedIn: SignedIn) async -> Bool {
        (try? await server.identity.authenticate(bearer: signedIn.accessToken.exposed)) != nil
    }

    @Test func `is noticed by nobody: both servers know the new one before it signs, and keep the old one`()
        async throws
    {
        let clock = TestClock()
        let here = try await TestIdentity.open(clock: clock)
        let there = try await TestIdentity.open(clock: clock)
        let old = try await here.register()
        let outcome = try #require(try await rotation.rotate(at: clock.now))
        try await here.identity.reloadKeys()
        try await there.identity.reloadKeys()
        // Its time has not come.
        #expect(try keyID(of: try await here.login()) == keyID(of: old))
        clock.advance(by: KeyRotation.lead.seconds)
        let new = try await here.login()
        #expect(try keyID(of: new) == outcome.newKey)
        #expect(try keyID(of: new) != keyID(of: old))
        for server in [here, there] {
            #expect(await accepts(server, old))
            #expect(await accepts(server, new))
        }
        // A server that starts now knows both.
        let later = try await TestIdentity.open(clock: clock)
        #expect(await accepts(later, old))
        #expect(await accepts(later, new))
    }

    @Test func `leaves the old one until its last token has expired, and not longer`() async throws {
        let clock = TestClock()
        let server = try await TestIdentity.open(clock: clock) { $0.accessTokenLifetime = .seconds(43_200) }
        _ = try await server.register()
        let outcome = try #require(try await rotation.rotate(at: clock.now))
        try await server.identity.reloadKeys()
        clock.advance(by: KeyRotation.lead.seconds - 1)
        let last = try await server.login()
        #expect(try keyID(of: last) != outcome.newKey)
        clock.advance(by: 43_199)
        try await server.identity.signingKeys.deleteOver(at: clock.now)
        try await server.identity.reloadKeys()
        #expect(await accepts(server, last))
        clock.advance(by: 2 * 3600)
        try await server.identity.signingKeys.deleteOver(at: clock.now)
        try await server.identity.reloadKeys()
        #expect(server.identity.accessTokens.keyIDs == [outcome.newKey])
        let rows = try await TestDatabase.current.administrator.query("SELECT 1 FROM parley.signing_keys")
        #expect(rows.count == 1)
    }

    @Test func `waits for its turn while another one waits`() async throws {
        let clock = TestClock()
        let server = try await TestIdentity.open(clock: clock)
        let first = try await rotation.rotate(at: clock.now)
        #expect(first != nil)
        #expect(try await rotation.rotate(at: clock.now) == nil)
        clock.advance(by: KeyRotation.lead.seconds)
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { try await rotation.rotate(at: clock.now) != nil } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(outcomes == 1)
        try await server.identity.reloadKeys()
        #expect(server.identity.accessTokens.keyIDs.count == 3)
    }

    @Test func `at once refuses what the old one signed, also what was verified before`() async throws {
        let here = try await TestIdentity.open()
        let there = try await TestIdentity.open(clock: here.clock)
        let old = try await here.register()
        #expect(await accepts(here, old))
        #expect(await accepts(there, old))
        let outcome = try #require(try await rotation.replace(at: here.clock.now))
        #expect(outcome.othersVerifyUntil == nil)
        for server in [here, there] {
            try await server.identity.reloadKeys()
            #expect(await !accepts(server, old))
        }
        let refreshed = try await there.identity.refresh(old.refreshToken.exposed)
        #expect(try keyID(of: refreshed) == outcome.newKey)
        #expect(await accepts(here, refreshed))
    }

    @Test func `comes before any other, even one that waits`() async throws {
        let server = try await TestIdentity.open()
        _ = try await rotation.rotate(at: server.clock.now)
        let outcome = try #require(try await rotation.replace(at: server.clock.now))
        try await server.identity.reloadKeys()
        #expect(server.identity.accessTokens.keyIDs == [outcome.newKey])
    }

    @Test func `takes the master key`() async throws {
        _ = try await TestIdentity.open()
        let foreign = KeyRotation(pool: TestDatabase.current.pool, masterKeys: MasterKeys(SymmetricKey(size: .bits256)))
        await #expect(throws: IdentityStartError.wrongMasterKey) { try await foreign.rotate() }
        await #expect(throws: IdentityStartError.wrongMasterKey) { try await foreign.replace() }
    }

    @Test func `is followed by servers that run`() async throws {
        let server = try await TestIdentity.open()
        let outcome = try #require(try await rotation.replace(at: server.clock.now))
        await withThrowingTaskGroup { group in
            group.addTask { try await server.identity.run() }
            while server.identity.accessTokens.keyIDs != [outcome.newKey] { await Task.pause() }
            group.cancelAll()
        }
    }
}
