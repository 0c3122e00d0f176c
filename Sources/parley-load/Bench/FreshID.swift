import Foundation
import ParleyWire

/// Ids as clients make them: UUIDv7 with the present time.
enum FreshID {
    static func make() -> WireID {
        let milliseconds = UInt64(Date().timeIntervalSince1970 * 1000)
        var bytes = UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * index)) }
            bytes[6] = 0x70 | (bytes[6] & 0x0F)
        }
        return WireID(UUID(uuid: bytes))
    }
}
