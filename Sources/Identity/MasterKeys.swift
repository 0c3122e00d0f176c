package import Crypto

/// The installation's master key, and beside it another one while it is rotated: what either sealed is good.
package struct MasterKeys: Sendable {
    let current: SymmetricKey
    let other: SymmetricKey?

    package init(_ current: SymmetricKey, other: SymmetricKey? = nil) {
        self.current = current
        self.other = other
    }

    /// The keys for one purpose; the first is the one that seals.
    func derived(for purpose: String) -> [SymmetricKey] {
        [current.derived(for: purpose)] + (other.map { [$0.derived(for: purpose)] } ?? [])
    }
}

extension [SymmetricKey] {
    /// What the first of them opens.
    func firstOpening<Value>(_ open: (SymmetricKey) throws -> Value) throws -> Value {
        for key in dropLast() {
            if let value = try? open(key) { return value }
        }
        guard let last else { throw CryptoKitError.incorrectKeySize }
        return try open(last)
    }
}
