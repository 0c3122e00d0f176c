import Crypto
import Foundation
import Testing

@testable import Identity

struct `Refresh tokens` {
    private let tokens = RefreshTokens(masterKeys: MasterKeys(TestIdentity.masterKey), IdentityConfiguration())

    @Test func `are read back from their text`() throws {
        let session = UUID()
        let token = tokens.first(of: session)
        let read = try #require(tokens.read(token.text.exposed))
        #expect(read.sessionID == session)
        #expect(read.hash == token.hash)
    }

    @Test func `have one successor, which their text does not tell`() throws {
        let token = tokens.first(of: UUID())
        let again = try #require(tokens.read(token.text.exposed))
        #expect(tokens.successors(of: token)[0].text == tokens.successors(of: again)[0].text)
        #expect(tokens.successors(of: token)[0].text != token.text)
        let elsewhere = RefreshTokens(masterKeys: MasterKeys(SymmetricKey(size: .bits256)), IdentityConfiguration())
        #expect(elsewhere.successors(of: token)[0].text != tokens.successors(of: token)[0].text)
    }

    @Test func `differ for every session`() {
        let session = UUID()
        #expect(tokens.first(of: session).text != tokens.first(of: session).text)
    }

    @Test func `that this installation did not make are not read`() {
        let genuine = tokens.first(of: UUID()).text.exposed
        let elsewhere = RefreshTokens(masterKeys: MasterKeys(SymmetricKey(size: .bits256)), IdentityConfiguration())
        let forgeries = [
            "", "x", String(genuine.dropLast()), genuine + "A", genuine + "=", " " + genuine,
            String(genuine.reversed()), "A" + genuine.dropFirst(), genuine.replacing("A", with: "+"),
            elsewhere.first(of: UUID()).text.exposed, String(repeating: "A", count: 107),
            String(repeating: "\u{E9}", count: 107), String(repeating: "A", count: 1_000_000),
        ]
        for forgery in forgeries where forgery != genuine { #expect(tokens.read(forgery) == nil) }
    }
}

struct `A presented refresh token` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func verdict(on hash: [UInt8], expiresIn: TimeInterval = 60) -> RefreshVerdict {
        let family = RefreshVerdict.Family(current: [3], previous: [2], expiresAt: now + expiresIn)
        return RefreshVerdict(on: hash, of: family, at: now)
    }

    @Test func `that is the newest is rotated`() {
        #expect(verdict(on: [3]) == .rotate)
    }

    @Test func `that is too old is expired`() {
        #expect(verdict(on: [3], expiresIn: 0) == .expired)
        #expect(verdict(on: [2], expiresIn: 0) == .expired)
    }

    @Test func `whose successor is unused is answered again`() {
        #expect(verdict(on: [2]) == .repeatSuccessor)
    }

    @Test func `that was rotated twice is reused`() {
        #expect(verdict(on: [1]) == .reuse)
        #expect(verdict(on: [1], expiresIn: 0) == .reuse)
    }

    @Test func `of a session that never refreshed is the newest or none`() {
        let family = RefreshVerdict.Family(current: [1], previous: nil, expiresAt: now + 60)
        #expect(RefreshVerdict(on: [1], of: family, at: now) == .rotate)
        #expect(RefreshVerdict(on: [0], of: family, at: now) == .reuse)
    }
}
