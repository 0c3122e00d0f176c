package import Crypto
import Foundation

/// The key that wraps everybody's keys. It never enters the database.
///
/// While it is rotated there are two, and what is wrapped under either opens; what is wrapped anew is under the first.
package struct MasterKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: SymmetricKey
    private let other: SymmetricKey?

    /// - Parameters:
    ///   - bytes: 32 random bytes.
    ///   - other: as many of the key before or after this one; nil where there is one alone.
    package init?(bytes: [UInt8], other: [UInt8]? = nil) {
        guard bytes.count == 32, other.map({ $0.count == 32 }) ?? true else { return nil }
        key = SymmetricKey(data: bytes)
        self.other = other.map { SymmetricKey(data: $0) }
    }

    /// A key for one purpose, derived with HKDF-SHA256 (RFC 5869), so that no two purposes share one.
    package func derived(for purpose: String) -> SymmetricKey {
        Self.derived(key, for: purpose)
    }

    /// The same of the other key.
    package func otherDerived(for purpose: String) -> SymmetricKey? {
        other.map { Self.derived($0, for: purpose) }
    }

    private static func derived(_ key: SymmetricKey, for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
    }

    package var description: String { "MasterKey(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
