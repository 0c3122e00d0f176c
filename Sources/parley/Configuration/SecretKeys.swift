import Crypto
import EventStore
import Foundation
import Identity

/// The master key, and beside it the other one while it is rotated.
struct SecretKeys {
    let current: SymmetricKey
    let other: SymmetricKey?

    /// As the log takes them.
    var log: MasterKey {
        get throws {
            guard let key = MasterKey(bytes: Self.bytes(current), other: other.map(Self.bytes)) else {
                throw ConfigurationError("the master key is not \(MasterKeyFile.byteCount) bytes")
            }
            return key
        }
    }

    /// As accounts take them.
    var accounts: MasterKeys { MasterKeys(current, other: other) }

    private static func bytes(_ key: SymmetricKey) -> [UInt8] {
        key.withUnsafeBytes { [UInt8]($0) }
    }
}
