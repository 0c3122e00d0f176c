import Crypto
import Foundation
import Testing

@testable import Identity

struct `Refresh tokens` {
    private let tokens = RefreshTokens(masterKey: TestIdentity.masterKey, IdentityConfiguration())

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
        #expect(tokens.successor(of: token).text == tokens.successor(of: again).text)
        #expect(tokens.successor(of: token).text != token.text)
        let elsewhere = RefreshTokens(masterKey: SymmetricKey(size: .bits256), IdentityConfiguration())
        #expect(elsewhere.successor(of: token).text != tokens.successor(of: token).text)
    }

    @Test func `differ for every session`() {
        let session = UUID()
        #expect(tokens.first(of: session).text != tokens.first(of: session).text)
    }

    @Test func `that this installation did not make are not read`() {
        let genuine = tokens.first(of: UUID()).text.exposed
        let elsewhere = RefreshTokens(masterKey: SymmetricKey(size: .bits256), IdentityConfiguration())
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

    private func verdict(
        on hash: [UInt8],
        rotated secondsAgo: TimeInterval = 0,
        expiresIn: TimeInterval = 60
    ) -> RefreshVerdict {
        let family = RefreshVerdict.Family(
            current: [3],
            previous: [2],
            rotatedAt: now - secondsAgo,
            expiresAt: now + expiresIn
        )
        return RefreshVerdict(on: hash, of: family, at: now, grace: 20)
    }

    @Test func `that is the newest is rotated`() {
        #expect(verdict(on: [3]) == .rotate)
        #expect(verdict(on: [3], rotated: 1_000_000) == .rotate)
    }

    @Test func `that is the newest and too old is expired`() {
        #expect(verdict(on: [3], expiresIn: 0) == .expired)
    }

    @Test func `that was rotated moments ago is answered again`() {
        #expect(verdict(on: [2], rotated: 19.9) == .repeatSuccessor)
        // Another server's clock may be behind.
        #expect(verdict(on: [2], rotated: -5) == .repeatSuccessor)
    }

    @Test func `that was rotated longer ago, or twice, is reused`() {
        #expect(verdict(on: [2], rotated: 20) == .reuse)
        #expect(verdict(on: [1]) == .reuse)
    }

    @Test func `of a session that never refreshed is the newest or none`() {
        let family = RefreshVerdict.Family(current: [1], previous: nil, rotatedAt: now, expiresAt: now + 60)
        #expect(RefreshVerdict(on: [1], of: family, at: now, grace: 20) == .rotate)
        #expect(RefreshVerdict(on: [0], of: family, at: now, grace: 20) == .reuse)
    }
}
