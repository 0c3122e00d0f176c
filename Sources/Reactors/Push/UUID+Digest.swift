import Crypto
import Foundation

extension UUID {
    /// The same for the same digest: of version 8 (RFC 9562), what its bits mean is ours.
    init(_ digest: SHA256.Digest) {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
