import NIOCore

/// Remembers what is being read while it is parsed, and follows which of it is a request's that the parser has told of: the
/// rest is the beginning of the next one's head.
///
/// It stands before the parser; ``MessageRules``, right behind the parser, says what that tells.
final class IncomingBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Place {
        /// Between two requests, or in a head.
        case head(HeadScan)
        case body
        case chunks(ChunkScan)
        /// The parser has seen a head, or the end of a body, where none was found here.
        case unknown
    }

    private(set) var reading: ByteBuffer?
    private var place = Place.head(HeadScan())
    /// The first byte that nothing is known of yet.
    private var position = 0

    /// Whether the head of a request has begun that is not whole.
    var hasBegunHead: Bool {
        if case .head(let scan) = place { scan.hasBegun } else { false }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        reading = bytes
        position = bytes.readerIndex
        context.fireChannelRead(data)
        switch place {
        case .head(var scan):
            _ = follow { scan.read($0) }
            place = .head(scan)
        case .chunks(var scan):
            _ = follow { scan.read($0) }
            place = .chunks(scan)
        case .body, .unknown: break
        }
        reading = nil
    }

    /// - Returns: false where the words of its first line are not parted by single spaces.
    func endHead(isChunked: Bool) -> Bool {
        guard case .head(var scan) = place else { return true }
        guard follow({ scan.read($0) }) else {
            place = .unknown
            return true
        }
        place = isChunked ? .chunks(ChunkScan()) : .body
        return scan.hasSingleSpaces
    }

    func take(_ piece: ByteBuffer) {
        if case .body = place { position += piece.readableBytes }
    }

    func endRequest() {
        switch place {
        case .body: place = .head(HeadScan())
        case .chunks(var scan): place = follow { scan.read($0) } ? .head(HeadScan()) : .unknown
        case .head, .unknown: break
        }
    }

    /// Reads from where nothing is known of yet, up to what ends in it or up to the end.
    private func follow(_ read: (UnsafeRawBufferPointer) -> Int?) -> Bool {
        guard let reading, position < reading.writerIndex else { return false }
        let count = reading.withUnsafeReadableBytes { bytes in
            read(UnsafeRawBufferPointer(rebasing: bytes[(position - reading.readerIndex)...]))
        }
        if let count { position += count }
        return count != nil
    }
}

@available(*, unavailable)
extension IncomingBytes: Sendable {}
