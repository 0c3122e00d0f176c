import Crypto
import EventSourcing
package import Foundation

/// The key under which one person's content is sealed. Destroying it erases the person from the log.
package struct PersonKey: Sendable, CustomStringConvertible, CustomReflectable {
    package let id: UUID
    package let person: UUID
    private let sealing: SymmetricKey
    /// Begun with the key, which is half of the work for a short content.
    private let hashing: HMAC<SHA256>

    init(id: UUID, person: UUID, secret: SymmetricKey) {
        self.id = id
        self.person = person
        sealing = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Data("seal".utf8), outputByteCount: 32)
        hashing = HMAC(
            key: HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Data("content".utf8), outputByteCount: 32)
        )
    }

    /// Seals content with AES-256-GCM, bound to its place: nonce, ciphertext and tag.
    func seal(_ content: [UInt8], at place: SealedPlace) throws -> [UInt8] {
        guard let box = try AES.GCM.seal(content, using: sealing, authenticating: place.bytes).combined else {
            throw CryptoKitError.incorrectParameterSize
        }
        return box.withUnsafeBytes { [UInt8]($0) }
    }

    func open(_ sealed: [UInt8], at place: SealedPlace) throws -> [UInt8] {
        let box = try AES.GCM.SealedBox(combined: sealed)
        let content = try AES.GCM.open(box, using: sealing, authenticating: place.bytes)
        // Copied in one piece: an array made of `Data` itself asks its iterator.
        return content.withUnsafeBytes { [UInt8]($0) }
    }

    /// Answers "same id, same content?" without keeping the content: HMAC-SHA256.
    func hmac(_ content: [UInt8]) -> [UInt8] {
        var hashing = hashing
        hashing.update(data: content)
        return [UInt8](hashing.finalize())
    }

    package var description: String { "PersonKey(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Where sealed content stands in the log: authenticated with it, so that it opens nowhere else.
struct SealedPlace {
    let bytes: [UInt8]

    init(stream: StreamID, commandID: UUID, ordinal: Int) {
        let category = stream.category.rawValue.utf8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(category.count + 37)
        bytes.append(contentsOf: category)
        bytes.append(0)
        withUnsafeBytes(of: stream.id.uuid) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: commandID.uuid) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: ordinal).bigEndian) { bytes.append(contentsOf: $0) }
        self.bytes = bytes
    }
}
