import Crypto
import CryptoExtras
import Foundation
import Identity
import TestSupport
import Testing

@testable import OpenID

struct `ID tokens` {
    @Test func `say who somebody is when they are signed with RS256 or ES256`() async throws {
        for key in [try TestSigningKey.rsa("one"), .p256("one")] {
            try await TestIssuer.with(key) { stand in
                let relying = try Relying(on: stand)
                let identity = try await relying.identity(try key.token(relying.claims()))
                #expect(identity.issuer == stand.url)
                #expect(identity.subject == "subject-1")
                #expect(identity.email == "ada@example.org")
                #expect(identity.displayName == "Ada")
            }
        }
    }

    @Test func `tell an address only where the issuer has verified it`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            let words: [(Any, Bool)] = [(true, true), ("true", true), (false, false), ("false", false), (1, false)]
            for (word, isShown) in words {
                let token = try key.token(relying.claims(["email_verified": word]))
                #expect(try await (relying.identity(token).email != nil) == isShown, "\(word)")
            }
            let token = try key.token(relying.claims(without: ["email_verified"]))
            #expect(try await relying.identity(token).email == nil)
        }
    }

    @Test func `are refused for whatever is wrong with what they say`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            let now = Int(relying.clock.now.timeIntervalSince1970)
            let wrong: [(changes: [String: Any], without: [String], flaw: OpenIDError.Flaw)] = [
                (["iss": "https://evil.example"], [], .issuer), (["iss": stand.url + "/"], [], .issuer),
                (["iss": "accounts.google.com"], [], .issuer), (["aud": "another-app"], [], .audience),
                (["aud": [TestIssuer.clientID, "another-app"], "azp": TestIssuer.clientID], [], .audience),
                (["aud": [TestIssuer.clientID, "parley-ios"]], [], .audience), (["aud": [String]()], [], .audience),
                (["azp": "another-app"], [], .audience), (["exp": now - 61], [], .expired),
                (["iat": now + 62], [], .early), (["nbf": now + 62], [], .early), (["nonce": "unasked"], [], .nonce),
                (["sub": ""], [], .subject), (["sub": String(repeating: "s", count: 256)], [], .subject),
                ([:], ["sub"], .malformed), ([:], ["iss"], .malformed), ([:], ["aud"], .malformed),
                ([:], ["exp"], .malformed), ([:], ["iat"], .malformed), (["exp": "soon"], [], .malformed),
            ]
            for (changes, without, flaw) in wrong {
                let token = try key.token(relying.claims(changes, without: without))
                await #expect(throws: OpenIDError.badToken(flaw), "\(changes) \(without)") {
                    try await relying.identity(token)
                }
            }
            // What clocks differ by is forgiven, and another of our apps may have asked.
            for changes: [String: Any] in [
                ["exp": now - 59], ["iat": now + 59], ["azp": "parley-ios"], ["aud": "parley-ios"],
                ["aud": [TestIssuer.clientID, "parley-ios"], "azp": "parley-ios"],
            ] {
                try await relying.identity(try key.token(relying.claims(changes)))
            }
        }
    }

    @Test func `count with the nonce that they were asked for with alone`() async throws {
        let key = TestSigningKey.p256("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            let token = try key.token(relying.claims(["nonce": "right"]))
            try await relying.identity(token, nonce: "right")
            for nonce in ["wrong", nil] {
                await #expect(throws: OpenIDError.badToken(.nonce)) { try await relying.identity(token, nonce: nonce) }
            }
            let plain = try key.token(relying.claims())
            await #expect(throws: OpenIDError.badToken(.nonce)) { try await relying.identity(plain, nonce: "right") }
        }
    }

    @Test func `are refused without a signature, and with one by a secret that everybody knows`() async throws {
        let key = try TestSigningKey.rsa("one")
        guard case .rsa(let rsa) = key.kind else { return }
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            func expectRefused(_ token: String, _ flaw: OpenIDError.Flaw) async {
                await #expect(throws: OpenIDError.badToken(flaw)) { try await relying.identity(token) }
            }
            let none = try TestSigningKey.unsigned(relying.claims(), header: ["alg": "none", "kid": "one"])
            await expectRefused("\(none).", .algorithm)
            await expectRefused("\(none).AAAA", .algorithm)
            // Whoever takes the published key for a shared secret would take these for good.
            let signed = try TestSigningKey.unsigned(relying.claims(), header: ["alg": "HS256", "kid": "one"])
            for secret in [Data(rsa.publicKey.pemRepresentation.utf8), rsa.publicKey.derRepresentation] {
                let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: SymmetricKey(data: secret))
                await expectRefused("\(signed).\(Data(code).base64URL)", .algorithm)
            }
            // Nothing was asked of the issuer for any of them.
            #expect(stand.requests == [])
        }
    }

    @Test func `are refused when their signature, their key or their kind is another`() async throws {
        let key = try TestSigningKey.rsa("one")
        try await TestIssuer.with(key) { stand in
            let relying = try Relying(on: stand)
            func expectRefused(_ token: String, _ flaw: OpenIDError.Flaw) async {
                await #expect(throws: OpenIDError.badToken(flaw)) { try await relying.identity(token) }
            }
            let good = try key.token(relying.claims())
            let parts = good.split(separator: ".")
            let others = try key.token(relying.claims(["sub": "subject-2"])).split(separator: ".")
            await expectRefused("\(parts[0]).\(others[1]).\(parts[2])", .signature)
            await expectRefused(try TestSigningKey.rsa("one").token(relying.claims()), .signature)
            await expectRefused(try TestSigningKey.p256("one").token(relying.claims()), .unknownKey)
            await expectRefused(try key.token(relying.claims(), header: ["typ": "at+jwt"]), .malformed)
            for text in ["", "a.b", "..", "\(good).x", "\(good)=", String(repeating: "a", count: 20_000)] {
                await expectRefused(text, .malformed)
            }
            // An embedded key is nobody's.
            let thief = TestSigningKey.p256("thief")
            await expectRefused(try thief.token(relying.claims(), header: ["jku": "https://evil.example"]), .unknownKey)
            try await relying.identity(good)
        }
    }
}
