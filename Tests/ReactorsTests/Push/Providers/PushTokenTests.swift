import Crypto
import CryptoExtras
import Foundation
import NIOHTTP1
import Testing

@testable import Reactors

@Suite("Tokens that tell push services who we are")
struct PushTokenTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000.75)

    @Test("Apple gets one token for all, of whole seconds, and a new one before it is an hour old")
    func apns() async throws {
        let key = P256.Signing.PrivateKey()
        let tokens = APNsTokens(APNsKey(key: key, id: "ABC1234567", team: "TEAM123456"))
        let first = try await tokens.token(at: now)
        let read = try ReadToken(first)
        #expect(read.header == ["alg": "ES256", "typ": "JWT", "kid": "ABC1234567"])
        #expect(read.claims == ["iss": .text("TEAM123456"), "iat": .number(1_800_000_000)])
        #expect(try read.isSigned(by: key.publicKey))
        #expect(try await tokens.token(at: now + 44 * 60) == first)
        let second = try await tokens.token(at: now + 46 * 60)
        #expect(second != first)
        // A clock that was set back.
        #expect(try await tokens.token(at: now) != second)
    }

    @Test("A token that Apple calls expired is replaced once, and not where it is young")
    func replacement() async throws {
        let tokens = APNsTokens(APNsKey(key: P256.Signing.PrivateKey(), id: "ABC1234567", team: "TEAM123456"))
        let first = try await tokens.token(at: now)
        #expect(try await tokens.replacement(for: first, at: now + 19 * 60) == nil)
        let second = try #require(try await tokens.replacement(for: first, at: now + 21 * 60))
        #expect(second != first)
        #expect(try await tokens.replacement(for: first, at: now + 22 * 60) == second)
        #expect(try await tokens.token(at: now + 22 * 60) == second)
    }

    @Test("Keys of Apple's are read from their file, and nothing else is")
    func apnsKeys() throws {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        _ = try APNsKey(pem: pem, id: "A", team: "B")
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8PEMRepresentation
        for text in ["", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", rsa, String(pem.dropLast(60))] {
            #expect(throws: PushCredentialError.self) { _ = try APNsKey(pem: text, id: "A", team: "B") }
        }
    }

    @Test("Google gets an assertion for its own address, signed by RSA")
    func google() throws {
        let (json, key) = try ProviderSamples.serviceAccount(tokenURL: "https://oauth2.example/token")
        let read = try ReadToken(ServiceAccount(json: json).assertion(at: now))
        #expect(read.header == ["alg": "RS256", "typ": "JWT", "kid": "abc"])
        #expect(read.claims["aud"] == .text("https://oauth2.example/token"))
        #expect(read.claims["iss"] == .text("push@parley-test.example"))
        #expect(read.claims["scope"] == .text("https://www.googleapis.com/auth/firebase.messaging"))
        #expect(read.claims["iat"] == .number(1_800_000_000))
        #expect(read.claims["exp"] == .number(1_800_003_600))
        let signature = _RSA.Signing.RSASignature(rawRepresentation: read.signature)
        #expect(key.isValidSignature(signature, for: read.signed, padding: .insecurePKCS1v1_5))
    }

    @Test(
        "A file that is no service account is told from one, and says nothing of what is in it",
        arguments: [
            "", "[]", "{}", #"{"project_id": "p", "client_email": "e"}"#,
            #"{"project_id": "p", "client_email": "e", "private_key": "secret"}"#,
            #"{"project_id": "p/../q", "client_email": "e", "private_key": "secret"}"#,
            #"{"project_id": 7, "client_email": "e", "private_key": "secret"}"#,
        ]
    )
    func brokenAccounts(_ json: String) {
        let error = #expect(throws: PushCredentialError.self) { _ = try ServiceAccount(json: Data(json.utf8)) }
        #expect(error?.description.contains("secret") == false)
    }

    @Test("Push services get a token of their own, with our public key")
    func vapid() throws {
        let key = VAPIDKey()
        let tokens = VAPIDTokens(key, subject: "mailto:ops@example.org")
        let endpoint = try #require(URL(string: "https://Push.Example.org:8443/abc"))
        let header = try tokens.header(for: endpoint, at: now)
        let match = try #require(header.wholeMatch(of: /vapid t=([^,]+),k=(.+)/))
        let read = try ReadToken(match.1)
        #expect(read.header == ["alg": "ES256", "typ": "JWT"])
        #expect(read.claims["aud"] == .text("https://push.example.org:8443"))
        #expect(read.claims["sub"] == .text("mailto:ops@example.org"))
        #expect(read.claims["exp"] == .number(1_800_000_000 + 12 * 3_600))
        let point = try #require(Base64URL.decode(String(match.2)))
        #expect(try read.isSigned(by: P256.Signing.PublicKey(x963Representation: point)))
        #expect(String(match.2) == key.publicText)
        #expect(try tokens.header(for: endpoint, at: now + 3_500) == header)
        #expect(try tokens.header(for: endpoint, at: now + 3_700) != header)
        let other = try #require(URL(string: "https://push.example.org/abc"))
        #expect(try tokens.header(for: other, at: now) != header)
    }

    @Test("Keys for Web Push are read as they are written")
    func vapidKeys() throws {
        let key = VAPIDKey()
        #expect(VAPIDKey(key.text)?.publicText == key.publicText)
        #expect(Base64URL.decode(key.publicText)?.count == 65)
        for text in ["", "abc", key.publicText, String(repeating: "A", count: 43), "not base64 at all!"] {
            #expect(VAPIDKey(text) == nil)
        }
    }

    @Test("Keys are in no text")
    func redaction() throws {
        let key = VAPIDKey()
        for text in ["\(key)", String(reflecting: key), String(describing: Mirror(reflecting: key).children.count)] {
            #expect(!text.contains(key.text))
        }
        let apns = APNsKey(key: P256.Signing.PrivateKey(), id: "ABC1234567", team: "T")
        #expect(!"\(apns)".contains("ABC1234567"))
    }

    @Test("A service says how long it wants to be left alone in seconds, or by a date")
    func retryAfter() {
        let read = { (text: String) in
            RetryAfter.read(["retry-after": text], at: Date(timeIntervalSince1970: 784_111_770))
        }
        #expect(read("120") == .seconds(120))
        #expect(read("99999999999") == .seconds(86_400))
        #expect(read("Sun, 06 Nov 1994 08:49:37 GMT") == .seconds(7))
        #expect(read("Sun, 06 Nov 1993 08:49:37 GMT") == .zero)
        for text in ["", "-1", "soon", "1.5"] { #expect(read(text) == nil, "\(text)") }
        #expect(RetryAfter.read([:], at: Date()) == nil)
    }
}
