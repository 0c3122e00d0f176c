package import Foundation

/// The written-down hash that maps a stream's id to its partition.
///
/// FNV-1a, 64 bits, over the sixteen bytes of the id in network order, folded to 32 bits by xor of its halves
/// (http://www.isthe.com/chongo/tech/comp/fnv/), then modulo the number of partitions. It must never change: stored
/// events live in the partition that it named. The category is left out, so that the streams of one aggregate share a
/// partition.
package enum PartitionHash {
    package static func partition(of id: UUID, count: Int) -> Int {
        precondition(count > 0, "a log has at least one partition: the count is checked when the log is opened")
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        withUnsafeBytes(of: id.uuid) { bytes in
            for byte in bytes {
                hash ^= UInt64(byte)
                hash = hash &* 0x0000_0100_0000_01b3
            }
        }
        let folded = UInt32(truncatingIfNeeded: hash >> 32) ^ UInt32(truncatingIfNeeded: hash)
        return Int(folded) % count
    }
}
