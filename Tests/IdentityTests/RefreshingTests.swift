import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct Refreshing {
    @Test func `rotates the token and keeps the session`() async throws {
        let server = try await TestIdentity.open()
        let first = try await server.register(deviceName: "Phone")
        server.clock.advance(by: 600)
        let second = try await server.identity.refresh(first.refreshToken.exposed)
        #expect(second.userID == first.userID)
        #expect(second.session.id == first.session.id)
        #expect(second.session.deviceName == "Phone")
        #expect(second.session.createdAt == first.session.createdAt)
        #expect(second.session.lastSeenAt == server.clock.now)
        #expect(second.refreshToken != first.refreshToken)
        #expect(second.accessTokenExpiresAt == server.clock.now + 900)
        _ = try await server.identity.authenticate(bearer: second.accessToken.exposed)
    }

    @Test func `gives the same successor again, days later too, while that is unused`() async throws {
        let server = try await TestIdentity.open()
        let first = try await server.register()
        let second = try await server.identity.refresh(first.refreshToken.exposed)
        for _ in 0..<2 {
            server.clock.advance(by: 10 * 24 * 3600)
            let repeated = try await server.identity.refresh(first.refreshToken.exposed)
            #expect(repeated.refreshToken == second.refreshToken)
            _ = try await server.identity.authenticate(bearer: repeated.accessToken.exposed)
        }
        let third = try await server.identity.refresh(second.refreshToken.exposed)
        #expect(third.refreshToken != second.refreshToken)
    }

    @Test func `with the token before ends when its successor does`() async throws {
        let server = try await TestIdentity.open { $0.refreshTokenLifetime = .seconds(3600) }
        let first = try await server.register()
        server.clock.advance(by: 3599)
        _ = try await server.identity.refresh(first.refreshToken.exposed)
        server.clock.advance(by: 3599)
        let repeated = try await server.identity.refresh(first.refreshToken.exposed)
        server.clock.advance(by: 1)
        await expectRefusal(of: first, by: server)
        await expectRefusal(of: repeated, by: server)
        #expect(!server.identity.revocations.isRevoked(first.session.id))
    }

    @Test func `with a token whose successor was used ends the session, however long ago`() async throws {
        let server = try await TestIdentity.open()
        let first = try await server.register()
        let second = try await server.identity.refresh(first.refreshToken.exposed)
        let third = try await server.identity.refresh(second.refreshToken.exposed)
        server.clock.advance(by: 60)
        await expectRefusal(of: first, by: server)
        #expect(server.identity.revocations.isRevoked(first.session.id))
        await expectRefusal(of: third, by: server)
        await #expect(throws: IdentityError.unauthenticated) {
            try await server.identity.authenticate(bearer: third.accessToken.exposed)
        }
        // The person's other sessions are none of its business.
        _ = try await server.login()
    }

    @Test func `with a token whose successor was used ends the session, however soon`() async throws {
        let server = try await TestIdentity.open()
        let first = try await server.register()
        let second = try await server.identity.refresh(first.refreshToken.exposed)
        let third = try await server.identity.refresh(second.refreshToken.exposed)
        await expectRefusal(of: first, by: server)
        await expectRefusal(of: third, by: server)
    }

    @Test func `with a token of any age is recognised as reuse`() async throws {
        let server = try await TestIdentity.open()
        let first = try await server.register()
        var newest = first
        for _ in 0..<10 { newest = try await server.identity.refresh(newest.refreshToken.exposed) }
        await expectRefusal(of: first, by: server)
        await expectRefusal(of: newest, by: server)
    }

    @Test func `many times at once with one token gives everyone one successor`() async throws {
        let servers = [try await TestIdentity.open(), try await TestIdentity.open()]
        let first = try await servers[0].register()
        let successors = try await withThrowingTaskGroup(of: Secret.self) { group in
            for index in 0..<50 {
                group.addTask {
                    try await servers[index % 2].identity.refresh(first.refreshToken.exposed).refreshToken
                }
            }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
        let successor = try #require(successors.first)
        _ = try await servers[1].identity.refresh(successor.exposed)
    }

    @Test func `ends when the token is not used for its lifetime, and each use begins it anew`() async throws {
        let server = try await TestIdentity.open { $0.refreshTokenLifetime = .seconds(3600) }
        var newest = try await server.register()
        for _ in 0..<3 {
            server.clock.advance(by: 3599)
            newest = try await server.identity.refresh(newest.refreshToken.exposed)
        }
        server.clock.advance(by: 3600)
        await expectRefusal(of: newest, by: server)
    }

    @Test func `with an invented token changes nothing`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        let invented = RefreshToken(
            sessionID: signedIn.session.id,
            secret: [UInt8](repeating: 1, count: 32),
            seal: [UInt8](repeating: 2, count: 32)
        )
        for text in [invented.text.exposed, "", "\0", "x", signedIn.accessToken.exposed] {
            await #expect(throws: IdentityError.unauthenticated) { try await server.identity.refresh(text) }
        }
        _ = try await server.identity.refresh(signedIn.refreshToken.exposed)
    }

    @Test func `is over after logging out`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register()
        let user = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        try await server.identity.logout(user)
        await expectRefusal(of: signedIn, by: server)
    }

    private func expectRefusal(
        of signedIn: SignedIn,
        by server: TestIdentity,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: IdentityError.unauthenticated, sourceLocation: sourceLocation) {
            try await server.identity.refresh(signedIn.refreshToken.exposed)
        }
    }
}
