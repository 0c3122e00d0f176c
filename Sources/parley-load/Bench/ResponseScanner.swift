import NIOCore

/// Reads HTTP/1.1 answers with a `Content-Length` out of a byte stream: as little work as a load generator can do.
struct ResponseScanner {
    struct Response: Equatable {
        let status: Int
        /// `Parley-Position`.
        let position: String?
    }

    enum Problem: Error {
        case notHTTP
        case noContentLength
        case tooLarge
    }

    private static let largestHead = 64 << 10
    private static let largestBody = 64 << 20
    private static let endOfHead = Array("\r\n\r\n".utf8)

    private var buffer = ByteBuffer()
    /// The answer whose body is still coming.
    private var pending: (response: Response, bodyLeft: Int)?

    mutating func feed(_ bytes: inout ByteBuffer) {
        buffer.writeBuffer(&bytes)
    }

    /// The next whole answer; nil until more bytes come.
    mutating func next() throws -> Response? {
        if pending == nil { pending = try head() }
        guard let (response, bodyLeft) = pending, buffer.readableBytes >= bodyLeft else { return nil }
        buffer.moveReaderIndex(forwardBy: bodyLeft)
        pending = nil
        buffer.discardReadBytes()
        return response
    }

    private mutating func head() throws -> (Response, Int)? {
        let view = buffer.readableBytesView
        guard let end = view.firstRange(of: Self.endOfHead) else {
            if view.count > Self.largestHead { throw Problem.tooLarge }
            return nil
        }
        let length = view.distance(from: view.startIndex, to: end.upperBound)
        guard let text = buffer.readString(length: length) else { return nil }
        var lines = text.split(separator: "\r\n").makeIterator()
        guard let first = lines.next(), first.hasPrefix("HTTP/1."), let status = Int(first.dropFirst(9).prefix(3))
        else {
            throw Problem.notHTTP
        }
        var bodyLength: Int? = status == 204 ? 0 : nil
        var position: String?
        while let line = lines.next() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingPrefix(" ")
            switch line[..<colon].lowercased() {
            case "content-length": bodyLength = Int(value)
            case "parley-position": position = String(value)
            default: break
            }
        }
        guard let bodyLength, (0...Self.largestBody).contains(bodyLength) else { throw Problem.noContentLength }
        return (Response(status: status, position: position), bodyLength)
    }
}
