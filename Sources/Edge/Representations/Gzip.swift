import NIOCore
import Synchronization

/// Compresses answers as gzip (RFC 1952).
enum Gzip {
    /// Below this an answer fits into one packet of the network as it is.
    static let minimum = 1_400

    /// What is compressed at one go, in about 0.4 ms. More is compressed away from the connection's event loop, whose
    /// other connections would wait, and then others have their turn after each piece.
    private static let piece = 64 * 1_024

    /// A random number of bytes up to this, in place of a file's name: who counts the bytes of an answer that holds the
    /// words of several people learns little of what they have in common (BREACH).
    private static let maxPadding = 64

    /// Compressors that are not in use: each holds 256 KiB, which take longer to set up than a short answer takes.
    private static let idle = Mutex<[Deflater]>([])
    private static let maxIdle = 8

    /// - Returns: nil where there is no memory for it.
    static func compress(_ content: ByteBuffer) async -> ByteBuffer? {
        guard let deflater = idle.withLock({ $0.popLast() }) ?? Deflater(.quick) else { return nil }
        let output = await compress(content, by: deflater)
        deflater.reset()
        idle.withLock { idle in
            if idle.count < maxIdle { idle.append(deflater) }
        }
        return output
    }

    /// For what is sent again and again.
    ///
    /// - Returns: nil where there is no memory for it.
    static func compressThoroughly(_ content: ByteBuffer) async -> ByteBuffer? {
        guard let deflater = Deflater(.thorough) else { return nil }
        return await compress(content, by: deflater)
    }

    private static func compress(_ content: ByteBuffer, by deflater: Deflater) async -> ByteBuffer {
        var output = ByteBuffer()
        output.reserveCapacity(content.readableBytes / 4 + maxPadding)
        writeHead(to: &output)
        if content.readableBytes <= piece {
            deflater.compress(content, isLast: true, into: &output)
        } else {
            output = await withTaskExecutorPreference(globalConcurrentExecutor) { [output] in
                await compress(content, by: deflater, after: output)
            }
        }
        output.writeInteger(deflater.checksum, endianness: .little)
        output.writeInteger(UInt32(truncatingIfNeeded: content.readableBytes), endianness: .little)
        return output
    }

    @concurrent private static func compress(
        _ content: ByteBuffer,
        by deflater: Deflater,
        after head: ByteBuffer
    ) async -> ByteBuffer {
        var rest = content
        var output = head
        while rest.readableBytes > piece, let part = rest.readSlice(length: piece) {
            deflater.compress(part, isLast: false, into: &output)
            await Task.yield()
        }
        deflater.compress(rest, isLast: true, into: &output)
        return output
    }

    /// Magic number, deflate, "a file's name follows", no time, no hints, no system; the name and its end.
    private static func writeHead(to output: inout ByteBuffer) {
        output.writeBytes([0x1f, 0x8b, 8, 0b1000, 0, 0, 0, 0, 0, 255])
        output.writeRepeatingByte(UInt8(ascii: "-"), count: Int.random(in: 0...maxPadding))
        output.writeInteger(UInt8(0))
    }
}
