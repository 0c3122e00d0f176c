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
        /// In a body of chunks, behind the data of one: their end reads like that of a head.
        case chunks(HeadScan)
        /// Where the parser has put bytes together anew, chunks cannot be followed.
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
        case .head(let scan): place = .head(follow(scan).scan)
        case .chunks(let scan): place = .chunks(follow(scan).scan)
        case .body, .unknown: break
        }
        reading = nil
    }

    /// - Returns: false where the words of its first line are not parted by single spaces.
    func endHead(isChunked: Bool) -> Bool {
        guard case .head(let scan) = place else { return true }
        let (read, end) = follow(scan)
        guard let end else {
            place = .unknown
            return true
        }
        position = end
        place = isChunked ? .chunks(HeadScan()) : .body
        return read.hasSingleSpaces
    }

    func take(_ piece: ByteBuffer) {
        switch place {
        case .body: position += piece.readableBytes
        case .chunks:
            if let end = end(of: piece) {
                position = end
                place = .chunks(HeadScan())
            } else {
                place = .unknown
            }
        case .head, .unknown: break
        }
    }

    func endRequest() {
        switch place {
        case .body: place = .head(HeadScan())
        case .chunks(let scan):
            guard let end = follow(scan).end else { return place = .unknown }
            position = end
            place = .head(HeadScan())
        case .head, .unknown: break
        }
    }

    private func follow(_ scan: HeadScan) -> (scan: HeadScan, end: Int?) {
        guard let reading, position < reading.writerIndex else { return (scan, nil) }
        var scan = scan
        let count = reading.withUnsafeReadableBytes { scan.read($0[(position - reading.readerIndex)...]) }
        return (scan, count.map { position + $0 })
    }

    /// Where a piece that the parser has cut out of what is being read ends in it.
    private func end(of piece: ByteBuffer) -> Int? {
        guard let reading else { return nil }
        return reading.withUnsafeReadableBytes { all in
            piece.withUnsafeReadableBytes { bytes in
                guard let first = all.baseAddress, let start = bytes.baseAddress, start >= first,
                    start + bytes.count <= first + all.count
                else { return nil }
                return reading.readerIndex + (start - first) + bytes.count
            }
        }
    }
}

@available(*, unavailable)
extension IncomingBytes: Sendable {}
