import Crypto
import Foundation
import Testing

@testable import Reactors

@Suite("Sealing for browsers")
struct WebPushEncryptionTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

    @Test("The example of RFC 8291 comes out byte for byte")
    func example() throws {
        let sealed = try WebPushEncryption.seal(
            Array("When I grow up, I want to be a watermelon".utf8),
            for: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
            key: P256.KeyAgreement.PrivateKey(rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        )
        let expected =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
            + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        #expect(Base64URL.encode(sealed) == expected)
    }

    @Test("What is sealed is opened by the browser alone, and its length tells little")
    func opening() throws {
        let browser = TestBrowser()
        var lengths: Set<Int> = []
        for count in [0, 1, 100, 254] {
            let text = Array(repeating: UInt8(ascii: "x"), count: count)
            let sealed = try WebPushEncryption.seal(text, for: browser.publicKey, auth: browser.auth, padding: 256)
            #expect(try browser.open(sealed) == text)
            lengths.insert(sealed.count)
            #expect(throws: (any Error).self) { _ = try TestBrowser().open(sealed) }
        }
        #expect(lengths == [86 + 256 + 16])
    }

    @Test("Each is sealed anew")
    func fresh() throws {
        let browser = TestBrowser()
        let sealed = try (0..<2).map { _ in
            try WebPushEncryption.seal([1], for: browser.publicKey, auth: browser.auth)
        }
        #expect(sealed[0].prefix(16) != sealed[1].prefix(16))
        #expect(sealed[0][21..<86] != sealed[1][21..<86])
    }
}

/// The other side: what a browser does with what it is sent.
struct TestBrowser {
    let key = P256.KeyAgreement.PrivateKey()
    let auth = WebPushEncryption.randomSalt()

    var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    struct Unreadable: Error {}

    func open(_ sealed: [UInt8]) throws -> [UInt8] {
        guard sealed.count > 102, sealed[20] == 65 else { throw Unreadable() }
        let salt = Array(sealed[0..<16])
        let sender = Array(sealed[21..<86])
        let secret = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: sender))
        let material = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: auth,
            sharedInfo: Data("WebPush: info\0".utf8) + Data(publicKey) + Data(sender),
            outputByteCount: 32
        )
        let derive = { (info: String, count: Int) in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material,
                salt: salt,
                info: Data(info.utf8),
                outputByteCount: count
            )
        }
        let nonce = derive("Content-Encoding: nonce\0", 12).withUnsafeBytes { Array($0) }
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: nonce),
            ciphertext: sealed[86..<(sealed.count - 16)],
            tag: sealed.suffix(16)
        )
        let plain = try AES.GCM.open(box, using: derive("Content-Encoding: aes128gcm\0", 16))
        guard let end = plain.lastIndex(where: { $0 != 0 }), plain[end] == 2 else { throw Unreadable() }
        return Array(plain[..<end])
    }
}
