import Crypto
import Foundation

extension SymmetricKey {
    /// A key of its own for each purpose, so that no two uses of the master key can meet (RFC 5869).
    func derived(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self,
            info: Data("parley identity: \(purpose)".utf8),
            outputByteCount: 32
        )
    }

    var bytes: [UInt8] {
        withUnsafeBytes { Array($0) }
    }
}

extension UUID {
    var bytes: [UInt8] {
        withUnsafeBytes(of: uuid) { Array($0) }
    }

    init?(bytes: some Collection<UInt8>) {
        let b = Array(bytes)
        guard b.count == 16 else { return nil }
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            )
        )
    }
}
