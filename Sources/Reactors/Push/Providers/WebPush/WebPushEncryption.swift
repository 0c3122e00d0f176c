import Crypto
import Foundation

/// Seals what a browser is sent so that its push service cannot read it: RFC 8291, with the one coding that there is,
/// `aes128gcm` of RFC 8188.
enum WebPushEncryption {
    /// All of it is one record.
    private static let recordSize: UInt32 = 4_096

    /// - Parameters:
    ///   - p256dh: the browser's public key, an uncompressed point.
    ///   - auth: the secret that only the browser and we know.
    ///   - salt: 16 bytes, random.
    ///   - key: used once.
    ///   - length: what is sealed is padded to a multiple of this, so that its length tells little.
    static func seal(
        _ text: [UInt8],
        for p256dh: [UInt8],
        auth: [UInt8],
        salt: [UInt8] = randomSalt(),
        key: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(),
        padding length: Int = 1
    ) throws -> [UInt8] {
        let browser = try P256.KeyAgreement.PublicKey(x963Representation: p256dh)
        let own = key.publicKey.x963Representation
        let secret = try key.sharedSecretFromKeyAgreement(with: browser)
        let material = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: auth,
            sharedInfo: Data("WebPush: info\0".utf8) + Data(p256dh) + own,
            outputByteCount: 32
        )
        let contentKey = derive(from: material, salt, "Content-Encoding: aes128gcm\0", 16)
        let nonce = derive(from: material, salt, "Content-Encoding: nonce\0", 12).withUnsafeBytes { Array($0) }
        // 2 marks the last record.
        var plain = text + [2]
        plain += Array(repeating: 0, count: (length - plain.count % length) % length)
        let box = try AES.GCM.seal(plain, using: contentKey, nonce: AES.GCM.Nonce(data: nonce))
        let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
        return salt + size + [UInt8(own.count)] + Array(own) + Array(box.ciphertext) + Array(box.tag)
    }

    private static func derive(
        from material: SymmetricKey,
        _ salt: [UInt8],
        _ info: String,
        _ count: Int
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: material, salt: salt, info: Data(info.utf8), outputByteCount: count)
    }

    static func randomSalt() -> [UInt8] {
        SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    }
}
