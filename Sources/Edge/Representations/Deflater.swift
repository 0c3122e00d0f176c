import CZlib
import NIOCore

/// One stream of deflated bytes (RFC 1951) at a time, by zlib.
final class Deflater {
    /// zlib's levels (decision 0012).
    enum Effort: Int32 {
        /// For an answer: beyond it compressing takes longer, and is worth little.
        case quick = 2
        /// For what is compressed once and sent for as long as the program runs: a sixth smaller, in three times the time. Beyond
        /// it nothing is won.
        case thorough = 6
    }

    /// The largest window, and neither zlib's head nor gzip's.
    private static let windowBits: Int32 = -15

    /// zlib's state knows its address, so it stays where it is.
    private let stream: UnsafeMutablePointer<z_stream>

    /// The CRC-32 of what has been compressed since the last reset.
    private(set) var checksum: UInt32 = 0

    /// nil where there is no memory for it.
    init?(_ effort: Effort) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard parley_deflate_init(stream, effort.rawValue, Self.windowBits) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Makes it ready for the next stream.
    func reset() {
        deflateReset(stream)
        checksum = 0
    }

    /// Compresses the next bytes, or the last ones.
    func compress(_ bytes: ByteBuffer, isLast: Bool, into output: inout ByteBuffer) {
        bytes.withUnsafeReadableBytes { input in
            let start = input.bindMemory(to: UInt8.self).baseAddress
            checksum = UInt32(truncatingIfNeeded: crc32(UInt(checksum), start, UInt32(input.count)))
            // zlib reads from it only, whatever its type says.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
            stream.pointee.avail_in = UInt32(input.count)
            repeat { deflateOnce(isLast ? Z_FINISH : Z_NO_FLUSH, into: &output) } while stream.pointee.avail_out == 0
            stream.pointee.next_in = nil
        }
    }

    /// Compresses until the input is read, and written where that is asked for, or the room for it is full.
    private func deflateOnce(_ flush: Int32, into output: inout ByteBuffer) {
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: 4_096) { room in
            let count = min(room.count, Int(UInt32.max))
            stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(count)
            let code = deflate(stream, flush)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                preconditionFailure("zlib fails only where its state was written over or its calls are out of order")
            }
            return count - Int(stream.pointee.avail_out)
        }
    }
}

// Unchecked, because what is taken out of an array may still be in it, for all that the compiler knows. It goes from task to task
// by the locked `Gzip.idle` alone, or stays with the one that made it.
extension Deflater: @unchecked Sendable {}  // SAFETY: who makes it, or takes it out of `Gzip.idle`, has it alone.
