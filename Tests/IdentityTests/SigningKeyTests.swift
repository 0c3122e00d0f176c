import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `Signing keys` {
    @Test func `are shared by all servers on one database`() async throws {
        let here = try await TestIdentity.open()
        let signedIn = try await here.register()
        let there = try await TestIdentity.open()
        let user = try await there.identity.authenticate(bearer: signedIn.accessToken.exposed)
        #expect(user.userID == signedIn.userID)
    }

    @Test func `are made once when servers start at once`() async throws {
        let keys = SigningKeys(pool: TestDatabase.current.pool, masterKeys: MasterKeys(TestIdentity.masterKey))
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await keys.loadOrCreate(at: .now).signing(at: .now).id } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test func `open with their master key only`() async throws {
        _ = try await TestIdentity.open()
        await #expect(throws: IdentityStartError.wrongMasterKey) {
            try await TestIdentity.open(masterKey: SymmetricKey(size: .bits256))
        }
    }

    @Test func `are stored sealed, each for its id`() throws {
        let wrapping = SymmetricKey(size: .bits256)
        let key = SigningKey()
        let wrapped = try key.wrapped(under: wrapping)
        #expect(try SigningKey(wrapped: wrapped, id: key.id, under: wrapping).id == key.id)
        #expect(!Data(wrapped).contains(key.privateKey.rawRepresentation.prefix(8)))
        #expect(throws: (any Error).self) { try SigningKey(wrapped: wrapped, id: "other", under: wrapping) }
        #expect(throws: (any Error).self) {
            try SigningKey(wrapped: wrapped, id: key.id, under: SymmetricKey(size: .bits256))
        }
        #expect(throws: (any Error).self) { try SigningKey(wrapped: [], id: key.id, under: wrapping) }
    }

    @Test(
        arguments: [
            { $0.passwordCost = 0 }, { $0.passwordCost = 21 }, { $0.passwordThreads = 0 },
            { $0.passwordQueueLimit = -1 },
            { $0.accessTokenLifetime = .zero }, { $0.accessTokenLifetime = .seconds(86_400) },
            { $0.refreshTokenLifetime = .seconds(60) },
            { $0.verifiedTokenLimit = 0 },
            { $0.issuer = "" }, { $0.displayName.minimum = 31 },
        ] as [@Sendable (inout IdentityConfiguration) -> Void]
    )
    func `are not touched with settings that make no sense`(
        change: @Sendable (inout IdentityConfiguration) -> Void
    ) async throws {
        let error = await #expect(throws: IdentityStartError.self) { try await TestIdentity.open(configure: change) }
        guard case .badConfiguration? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
    }
}
