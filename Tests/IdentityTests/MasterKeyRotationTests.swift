import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

/// What was made under one master key, where there is another beside it.
@Suite(.database) struct `A master key that is rotated` {
    private let old = TestIdentity.masterKey
    private let new = SymmetricKey(data: [UInt8](repeating: 8, count: 32))

    @Test func `signs nobody out: neither access nor refresh tokens, nor a successor that was lost`() async throws {
        let before = try await TestIdentity.open(masterKey: old)
        let first = try await before.register()
        let second = try await before.identity.refresh(first.refreshToken.exposed)

        let meanwhile = try await TestIdentity.open(masterKey: new, other: old)
        _ = try await meanwhile.identity.authenticate(bearer: second.accessToken.exposed)
        let repeated = try await meanwhile.identity.refresh(first.refreshToken.exposed)
        #expect(repeated.refreshToken == second.refreshToken)
        let third = try await meanwhile.identity.refresh(second.refreshToken.exposed)
        // A server that has not come to use the new one takes what was made under it.
        let beside = try await TestIdentity.open(masterKey: old, other: new)
        #expect(try await beside.identity.refresh(second.refreshToken.exposed).refreshToken == third.refreshToken)
        await #expect(throws: IdentityError.unauthenticated) {
            try await before.identity.refresh(third.refreshToken.exposed)
        }

        try await rewrap()
        let after = try await TestIdentity.open(masterKey: new)
        _ = try await after.identity.authenticate(bearer: third.accessToken.exposed)
        _ = try await after.identity.refresh(third.refreshToken.exposed)
    }

    @Test func `is the only one that is needed once the keys are wrapped anew`() async throws {
        _ = try await TestIdentity.open(masterKey: old)
        await #expect(throws: IdentityStartError.self) { try await TestIdentity.open(masterKey: new) }
        for _ in 0..<2 { #expect(try await rewrap() == 1) }
        _ = try await TestIdentity.open(masterKey: new)
        await #expect(throws: IdentityStartError.self) { try await TestIdentity.open(masterKey: old) }
    }

    @Test func `reads the tokens and addresses of mails that were asked for before`() throws {
        let (before, meanwhile) = (MasterKeys(old), MasterKeys(new, other: old))
        let mail = UUID()
        let token = MailTokens(masterKeys: before).token(of: mail, for: .resetPassword)
        #expect(MailTokens(masterKeys: meanwhile).read(token.text.exposed, for: .resetPassword)?.hash == token.hash)
        #expect(MailTokens(masterKeys: MasterKeys(new)).read(token.text.exposed, for: .resetPassword) == nil)
        let sealed = try MailRecipients(masterKeys: before).seal(EmailAddress("ada@example.org"), of: mail)
        #expect(try MailRecipients(masterKeys: meanwhile).open(sealed, of: mail)?.text == "ada@example.org")
        #expect(throws: (any Error).self) { try MailRecipients(masterKeys: MasterKeys(new)).open(sealed, of: mail) }
    }

    @discardableResult
    private func rewrap() async throws -> Int {
        let keys = MasterKeys(new, other: old)
        return try await KeyRotation(pool: TestDatabase.current.administrator, masterKeys: keys).rewrap()
    }
}
