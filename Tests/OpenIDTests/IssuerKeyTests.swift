import Foundation
import Identity
import TestSupport
import Testing

@testable import OpenID

struct `The keys of an issuer` {
    private func count(_ path: String, _ stand: TestIssuer) -> Int {
        stand.requests.filter { $0 == path }.count
    }

    @Test func `are asked for once, however many sign in`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            let token = try key.token(relying.claims())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { try await relying.identity(token) } }
                try await group.waitForAll()
            }
            #expect(stand.requests == [TestIssuer.discoveryPath, TestIssuer.keysPath])
        }
    }

    @Test func `are asked for again when a token names a new one, and no more than once a minute`() async throws {
        let (first, second) = (TestSigningKey.p256("one"), try TestSigningKey.rsa("two"))
        try await TestIssuer.with(first) { stand in
            let relying = try Relying(on: stand)
            try await relying.identity(try first.token(relying.claims()))
            stand.setKeys([first, second])
            try await relying.identity(try second.token(relying.claims()))
            try await relying.identity(try first.token(relying.claims()))
            #expect(count(TestIssuer.keysPath, stand) == 2)
            for number in 0..<10 {
                let token = try TestSigningKey.p256("invented-\(number)").token(relying.claims())
                await #expect(throws: OpenIDError.badToken(.unknownKey)) { try await relying.identity(token) }
            }
            #expect(count(TestIssuer.keysPath, stand) == 2)
            relying.clock.advance(by: 61)
            let third = TestSigningKey.p256("three")
            stand.setKeys([third])
            try await relying.identity(try third.token(relying.claims()))
            #expect(count(TestIssuer.keysPath, stand) == 3)
        }
    }

    @Test func `count no more once they are withdrawn`() async throws {
        let (first, second) = (TestSigningKey.p256("one"), TestSigningKey.p256("two"))
        try await TestIssuer.with(first) { stand in
            let relying = try Relying(on: stand)
            try await relying.identity(try first.token(relying.claims()))
            stand.setKeys([second])
            // As soon as a token of the new one has come, and after an hour in any case.
            relying.clock.advance(by: 3_601)
            let token = try first.token(relying.claims())
            await #expect(throws: OpenIDError.badToken(.unknownKey)) { try await relying.identity(token) }
            try await relying.identity(try second.token(relying.claims()))
        }
    }

    @Test func `that were known count for a day while the issuer is down, and no longer`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            try await relying.identity(try key.token(relying.claims()))
            stand.set(.status(503), at: TestIssuer.keysPath)
            relying.clock.advance(by: 2 * 3_600)
            for _ in 0..<5 { try await relying.identity(try key.token(relying.claims())) }
            #expect(count(TestIssuer.keysPath, stand) == 2)
            relying.clock.advance(by: 23 * 3_600)
            let token = try key.token(relying.claims())
            await #expect(throws: OpenIDError.unavailable) { try await relying.identity(token) }
            stand.set(.answer, at: TestIssuer.keysPath)
            relying.clock.advance(by: 61)
            try await relying.identity(try key.token(relying.claims()))
        }
    }

    @Test func `are not waited for long`() async throws {
        let key = TestSigningKey.p256("one")
        for path in [TestIssuer.discoveryPath, TestIssuer.keysPath] {
            try await TestIssuer.with(key) { stand in
                // Enough for the answers that come in the end, on a busy machine, too.
                let relying = try Relying(on: stand, patience: .seconds(5))
                stand.set(.hang, at: path)
                let token = try key.token(relying.claims())
                await #expect(throws: OpenIDError.unavailable) { try await relying.identity(token) }
                stand.set(.answer, at: path)
                relying.clock.advance(by: 6)
                try await relying.identity(try key.token(relying.claims()))
            }
        }
    }

    @Test func `are not taken from answers that are none`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            let huge = #"{"keys": ["# + String(repeating: " ", count: 300_000) + "]}"
            let answers: [TestIssuer.Behaviour] = [
                .body(huge), .body(""), .body("[]"), .body(#"{"keys": []}"#), .body(#"{"keys": [{"kty": "oct"}]}"#),
                .body(
                    #"{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}, {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]}"#
                ),
                .status(404), .redirect("\(stand.url)/jwks"),
            ]
            for answer in answers {
                stand.set(answer, at: TestIssuer.keysPath)
                relying.clock.advance(by: 61)
                let token = try key.token(relying.claims())
                await #expect(throws: OpenIDError.unavailable) { try await relying.identity(token) }
            }
        }
    }

    @Test func `are not taken from another issuer's documents, nor over plain HTTP`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            let others = [
                ("https://evil.example", "\(stand.url)/jwks"), ("\(stand.url)/", "\(stand.url)/jwks"),
                (stand.url, "http://localhost/jwks"), (stand.url, "file:///etc/passwd"),
            ]
            for (issuer, keys) in others {
                stand.set(
                    .body(
                        """
                        {"issuer": "\(issuer)", "jwks_uri": "\(keys)", "authorization_endpoint": "\(stand.url)/authorize",
                        "token_endpoint": "\(stand.url)/token"}
                        """
                    ),
                    at: TestIssuer.discoveryPath
                )
                relying.clock.advance(by: 61)
                let token = try key.token(relying.claims())
                await #expect(throws: OpenIDError.unavailable) { try await relying.identity(token) }
            }
            #expect(count(TestIssuer.keysPath, stand) == 0)
        }
    }

    @Test func `are not taken from who has another certificate`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            try await TestIssuer.with(key) { other in
                let provider = OpenIDProvider(
                    id: "test",
                    name: "Test",
                    issuer: stand.url,
                    clientIDs: [TestIssuer.clientID],
                    clientSecret: .init(TestIssuer.clientSecret),
                    trustFile: other.certificateFile
                )
                let issuer = try OpenIDIssuer(provider, logger: SecretWatch.logger)
                let token = try key.token(try Relying(on: stand).claims())
                await #expect(throws: OpenIDError.unavailable) {
                    try await issuer.identity(provedBy: .init(token), nonce: nil)
                }
                #expect(stand.requests == [])
            }
        }
    }
}
