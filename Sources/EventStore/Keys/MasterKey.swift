package import Crypto
import Foundation

/// The key that wraps everybody's keys. It never enters the database.
package struct MasterKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: SymmetricKey

    /// - Parameter bytes: 32 random bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// A key for one purpose, derived with HKDF-SHA256 (RFC 5869), so that no two purposes share one.
    package func derived(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
    }

    package var description: String { "MasterKey(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
