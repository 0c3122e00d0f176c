package import Foundation

/// Makes ids of version 7 (RFC 9562 §5.7): milliseconds first, so that new rows lie side by side in an index.
package enum TimeOrderedID {
    package static func make(at time: Date) -> UUID {
        let milliseconds = UInt64(exactly: (time.timeIntervalSince1970 * 1_000).rounded(.down)) ?? 0
        var random = SystemRandomNumberGenerator()
        let high = random.next()
        let low = random.next()
        func byte(_ value: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value >> (8 * index)) }
        return UUID(
            uuid: (
                byte(milliseconds, 5), byte(milliseconds, 4), byte(milliseconds, 3), byte(milliseconds, 2),
                byte(milliseconds, 1), byte(milliseconds, 0), byte(high, 0) & 0x0f | 0x70, byte(high, 1),
                byte(low, 0) & 0x3f | 0x80, byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }
}
