import Crypto
import Foundation
import Testing

@testable import Identity

struct `Access tokens` {
    private let key = SigningKey()
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let user = UUID()
    private let session = UUID()

    private func keySet(_ signing: SigningKey, retired: SigningKey? = nil) -> SigningKeySet {
        let others = retired.map { [SigningKeySet.Entry(key: $0, activatesAt: .distantPast)] } ?? []
        return SigningKeySet(SigningKeySet.Entry(key: signing, activatesAt: now), others)
    }

    private func tokens(
        _ keys: SigningKeySet? = nil,
        configure: (inout IdentityConfiguration) -> Void = { _ in }
    ) -> AccessTokens {
        var configuration = IdentityConfiguration()
        configure(&configuration)
        return AccessTokens(keys: keys ?? keySet(key), configuration)
    }

    @Test func `say whose they are until they expire`() throws {
        let tokens = tokens()
        let (token, expiresAt) = try tokens.issue(for: user, session: session, at: now)
        #expect(expiresAt == now + 900)
        let expected = AuthenticatedUser(userID: user, sessionID: session, tokenExpiresAt: expiresAt)
        for _ in 0..<2 {
            #expect(try tokens.verify(token.exposed, at: now) == expected)
            #expect(try tokens.verify(token.exposed, at: now + 899.9) == expected)
            #expect(throws: IdentityError.tokenExpired) { try tokens.verify(token.exposed, at: now + 900) }
        }
        let elsewhere = self.tokens()
        #expect(throws: IdentityError.tokenExpired) { try elsewhere.verify(token.exposed, at: now + 900) }
    }

    @Test func `that have expired are checked once, however often they are shown`() throws {
        let token = try tokens().issue(for: user, session: session, at: now).token.exposed
        let elsewhere = tokens()
        var checks = 0
        for _ in 0..<3 {
            #expect(throws: IdentityError.tokenExpired) {
                try elsewhere.verify(token, at: now + 900, beforeCheck: { checks += 1 })
            }
        }
        #expect(checks == 1)
    }

    @Test func `are ES256 JWTs that others can read`() throws {
        let parts = try tokens().issue(for: user, session: session, at: now).token.exposed.split(separator: ".")
        try #require(parts.count == 3)
        let header = try json(parts[0])
        #expect(header as? [String: String] == ["alg": "ES256", "kid": key.id, "typ": "at+jwt"])
        let claims = try json(parts[1])
        #expect(claims["sub"] as? String == user.uuidString)
        #expect(claims["sid"] as? String == session.uuidString)
        #expect(claims["iss"] as? String == "parley" && claims["aud"] as? String == "parley")
        #expect(claims["exp"] as? Int == 1_800_000_900 && claims["iat"] as? Int == 1_800_000_000)
        #expect(Set(claims.keys) == ["iss", "aud", "sub", "sid", "iat", "nbf", "exp", "jti"])
    }

    @Test func `of a retired key are still good, of an unknown one never`() throws {
        let token = try tokens().issue(for: user, session: session, at: now).token.exposed
        let rotated = tokens(keySet(SigningKey(), retired: key))
        #expect(try rotated.verify(token, at: now).userID == user)
        let replaced = tokens(keySet(SigningKey()))
        #expect(throws: IdentityError.unauthenticated) { try replaced.verify(token, at: now) }
    }

    @Test func `are signed by the last key whose time has come`() throws {
        let (next, later) = (SigningKey(), SigningKey())
        let keys = SigningKeySet(
            SigningKeySet.Entry(key: later, activatesAt: now + 600),
            [
                SigningKeySet.Entry(key: key, activatesAt: now - 60),
                SigningKeySet.Entry(key: next, activatesAt: now + 300),
            ]
        )
        for (seconds, expected) in [(-120.0, key), (0, key), (299, key), (300, next), (599, next), (600, later)] {
            #expect(keys.signing(at: now + seconds).id == expected.id)
        }
        // What a server signs whose clock is ahead is good everywhere.
        let tokens = tokens(keys)
        let early = try tokens.issue(for: user, session: session, at: now + 300).token.exposed
        #expect(try tokens.verify(early, at: now + 299).userID == user)
    }

    @Test func `of the future are refused, however they are signed`() throws {
        let tokens = tokens()
        for seconds in [61.0, 3_600, 1_000_000_000] {
            let token = try tokens.issue(for: user, session: session, at: now + seconds).token.exposed
            #expect(throws: IdentityError.unauthenticated) { try tokens.verify(token, at: now) }
        }
    }

    @Test func `with a forged header are refused`() throws {
        let genuine = try tokens().issue(for: user, session: session, at: now).token.exposed
        let payload = String(genuine.split(separator: ".")[1])
        let attacker = SigningKey()
        let headers = [
            #"{"alg":"none"}"#, #"{"alg":"none","kid":"KID","typ":"at+jwt"}"#, #"{"alg":"None","kid":"KID"}"#,
            #"{"alg":"HS256","kid":"KID","typ":"at+jwt"}"#, #"{"alg":"ES384","kid":"KID","typ":"at+jwt"}"#,
            #"{"alg":"ES256","typ":"at+jwt"}"#, #"{"alg":"ES256","kid":"KID","typ":"JWT"}"#,
            #"{"alg":"ES256","kid":"\#(attacker.id)","typ":"at+jwt"}"#, #"{"alg":"ES256","kid":"","typ":"at+jwt"}"#,
            #"{"alg":"ES256","kid":"KID","typ":"at+jwt","jwk":{"kty":"EC"}}"#, "{}", "", "null", "[",
        ]
        for header in headers {
            let signed = encode(header.replacing("KID", with: key.id)) + "." + payload
            let publicKey = SymmetricKey(data: key.privateKey.publicKey.x963Representation)
            let signatures = [
                "", try sign(signed, attacker), try sign(signed, key),
                Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: publicKey)),
            ]
            for signature in signatures { expectRefusal(of: "\(signed).\(signature)") }
        }
    }

    @Test func `with another payload or signature are refused`() throws {
        let genuine = try tokens().issue(for: user, session: session, at: now).token.exposed
        let parts = genuine.split(separator: ".").map(String.init)
        let other = try tokens().issue(for: UUID(), session: session, at: now).token.exposed.split(separator: ".")
        let attackers = try sign("\(parts[0]).\(parts[1])", SigningKey())
        let derived = Base64URL.encode(
            try key.privateKey.signature(for: Data("\(parts[0]).\(parts[1])".utf8)).derRepresentation
        )
        let forgeries = [
            "\(parts[0]).\(other[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(other[2])",
            "\(parts[0]).\(parts[1]).\(attackers)", "\(parts[0]).\(parts[1]).\(derived)",
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(parts[0])..\(parts[2])",
            "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 86))",
            "\(parts[0]).\(parts[1]).\(parts[2].dropLast())", "\(genuine).", "\(genuine).x", "\(genuine)=",
            "\(genuine)\n", " \(genuine)", "Bearer \(genuine)", "", ".", "..", "...", "\0.\0.\0", "\u{1F511}.a.b",
            String(repeating: ".", count: 1_000_000), String(repeating: "A", count: 1_000_000),
        ]
        for forgery in forgeries { expectRefusal(of: forgery) }
    }

    @Test func `with other claims are refused, though rightly signed`() throws {
        let claims: [String: Any] = [
            "iss": "parley", "aud": "parley", "sub": user.uuidString, "sid": session.uuidString,
            "iat": 1_800_000_000, "nbf": 1_800_000_000, "exp": 1_800_000_900, "jti": UUID().uuidString,
        ]
        #expect(try tokens().verify(token(of: claims), at: now).userID == user)
        let changes: [(String, Any?)] = [
            ("iss", "other"), ("aud", "other"), ("aud", ["parley"]), ("iss", nil), ("aud", nil), ("sub", nil),
            ("sub", "ada"), ("sid", nil), ("sid", 7), ("exp", nil), ("exp", "soon"), ("exp", 1e300), ("iat", nil),
            ("nbf", nil), ("nbf", 1_800_000_061), ("jti", nil),
        ]
        for (claim, value) in changes {
            var changed = claims
            changed[claim] = value
            expectRefusal(of: try token(of: changed))
        }
        expectRefusal(of: try token(of: []))
        expectRefusal(of: try token(of: [claims]))
    }

    @Test func `are good for no longer than is configured, whatever they say`() throws {
        let old = tokens { $0.accessTokenLifetime = .seconds(3600) }
        let token = try old.issue(for: user, session: session, at: now).token.exposed
        let strict = tokens { $0.accessTokenLifetime = .seconds(600) }
        #expect(try strict.verify(token, at: now).tokenExpiresAt == now + 600)
        #expect(throws: IdentityError.tokenExpired) { try strict.verify(token, at: now + 600) }
        // Numbers at the ends of their type expire or are refused; nothing overflows.
        for extreme in [Int64.max, .min, 0, -1] {
            let claims: [String: Any] = [
                "iss": "parley", "aud": "parley", "sub": user.uuidString, "sid": session.uuidString,
                "iat": extreme, "nbf": 0, "exp": extreme, "jti": UUID().uuidString,
            ]
            _ = try? tokens().verify(self.token(of: claims), at: now)
        }
    }

    private func token(of claims: Any) throws -> String {
        let header = #"{"alg":"ES256","kid":"\#(key.id)","typ":"at+jwt"}"#
        let signed = encode(header) + "." + Base64URL.encode(try JSONSerialization.data(withJSONObject: claims))
        return "\(signed).\(try sign(signed, key))"
    }

    private func sign(_ text: String, _ key: SigningKey) throws -> String {
        Base64URL.encode(try key.privateKey.signature(for: Data(text.utf8)).rawRepresentation)
    }

    private func encode(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    private func json(_ part: Substring) throws -> [String: Any] {
        let bytes = try #require(Base64URL.decode(part))
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func expectRefusal(of token: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: IdentityError.unauthenticated, sourceLocation: sourceLocation) {
            try tokens().verify(token, at: now)
        }
    }
}

struct `Verified tokens` {
    @Test func `are remembered within a limit, the used ones longest`() {
        let cache = TokenMemory<AuthenticatedUser>(limit: 20)
        let users = (0..<100).map { _ in AuthenticatedUser(userID: UUID(), sessionID: UUID(), tokenExpiresAt: .now) }
        let tokens = (0..<100).map { SHA256.hash(data: [UInt8($0)]) }
        for (token, user) in zip(tokens, users) {
            cache.insert(user, for: token)
            #expect(cache.find(tokens[0]) == users[0])
        }
        #expect(zip(tokens, users).count { cache.find($0) == $1 } <= 20)
        #expect(cache.find(tokens[99]) == users[99])
    }
}

struct `Base64 for URLs` {
    @Test func `reads back what it writes, for all lengths`() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text[...]) == bytes)
            #expect(!text.contains { "+/=".contains($0) })
        }
    }

    @Test(arguments: ["A", "AA==", "AA=", "A+", "a/b", "AB", "A B", "AA\n", "\u{E9}A", "AAA\0"])
    func `reads one text only for one sequence of bytes`(text: String) {
        #expect(Base64URL.decode(text[...]) == nil)
    }
}
