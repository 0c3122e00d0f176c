import Foundation
import Glibc
import ParleyWire

/// Ids as clients make them, UUIDv7 with the present time, at the cost of a few nanoseconds each.
struct FreshIDs {
    /// The characters of a UUID.
    static let width = 36

    private static let digits = Array("0123456789abcdef".utf8)

    private var generator = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    /// Makes the next id the current one.
    mutating func advance() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        let milliseconds = UInt64(bitPattern: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
        high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
        low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Writes the current id into the first 36 bytes.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        var place = 0
        for (word, half) in [high, low].enumerated() {
            for index in 0..<16 {
                if (word == 0 && (index == 8 || index == 12)) || (word == 1 && (index == 0 || index == 4)) {
                    bytes[place] = UInt8(ascii: "-")
                    place += 1
                }
                bytes[place] = Self.digits[Int(truncatingIfNeeded: half >> UInt64(60 - 4 * index) & 0xF)]
                place += 1
            }
        }
    }

    /// One id by itself.
    static func make() -> WireID {
        var ids = FreshIDs()
        ids.advance()
        let uuid = withUnsafeBytes(of: (ids.high.bigEndian, ids.low.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) }
        return WireID(UUID(uuid: uuid))
    }
}
