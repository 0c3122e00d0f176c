package import HTTPTypes
package import Hummingbird
package import NIOCore
import ParleyWire
import Synchronization

/// Bytes of a known length that are answered piece by piece, as fast as the client takes them, whole or in part: a file is
/// never held in memory, and what is held of it at a time counts for its caller.
package struct Content: Sendable {
    /// Reads the next piece of a range, at least a byte of it and no more than a piece has.
    package typealias Reader = @Sendable (Range<Int>) async throws -> ByteBuffer

    private let length: Int
    private let pieceBytes: Int
    private let type: String
    /// A strong tag, in its quotation marks: the same only for the same bytes.
    private let tag: String
    private let more: HTTPFields
    private let read: Reader

    /// - Parameters:
    ///   - length: bytes.
    ///   - pieceBytes: how many bytes a piece has at most.
    ///   - more: fields of the answer, such as another `Cache-Control` than asking again each time.
    package init(
        length: Int,
        pieceBytes: Int,
        type: String,
        tag: String,
        more: HTTPFields = [:],
        read: @escaping Reader
    ) {
        self.more = more
        self.length = length
        self.pieceBytes = pieceBytes
        self.type = type
        self.tag = tag
        self.read = read
    }

    /// The answer: 304 where the client has it, 206 where it asks for a part.
    ///
    /// - Throws: `rangeNotSatisfiable` for a part that there is not; `overloaded` where there is no room for what it holds; what
    ///   reading its first piece throws: once the head is written, it is too late to refuse.
    package func response(to request: Request, within memory: AnswerMemory) async throws -> Response {
        var headers: HTTPFields = [.eTag: tag, .acceptRanges: "bytes", .cacheControl: "private, no-cache"]
        for field in more { headers[field.name] = field.value }
        // By the weak comparison (RFC 9110 §13.1.2): a proxy that compresses makes a tag weak.
        let known = request.headers[.ifNoneMatch]?.split(separator: ",").map { $0.filter { $0 != " " } } ?? []
        if known.contains(where: { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }) {
            return Response(status: .notModified, headers: headers)
        }
        let isCurrent = request.headers[.ifRange].map { $0 == tag } ?? true
        let range = request.method == .get ? request.headers[.range] : nil
        switch ByteRange(range, of: length, isCurrent: isCurrent) {
        case .unsatisfiable:
            throw HTTPProblem(
                .rangeNotSatisfiable,
                "There are \(length) bytes.",
                headers: [.contentRange: "bytes */\(length)", .acceptRanges: "bytes"]
            )
        case .whole:
            // Nobody takes a body that HEAD does not have.
            return try await response(.ok, 0..<length, headers, within: request.method == .head ? nil : memory)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
            return try await response(.partialContent, part, headers, within: memory)
        }
    }

    /// - Parameter memory: nil where the body is not to be written.
    private func response(
        _ status: HTTPResponse.Status,
        _ part: Range<Int>,
        _ headers: HTTPFields,
        within memory: AnswerMemory?
    ) async throws -> Response {
        var headers = headers
        headers[.contentType] = type
        // A piece that the client takes, and one that waits for it.
        let held = try memory?.take(min(part.count, 2 * pieceBytes))
        var first = ByteBuffer()
        if !part.isEmpty {
            // Of what nobody is to have, a byte tells whether it could be had.
            first = try await piece(of: memory == nil ? part.lowerBound..<part.lowerBound + 1 : part)
        }
        let body = ResponseBody(contentLength: part.count) { [first = FirstPiece(first), held] writer in
            var rest = part
            if let piece = first.take() {
                rest = rest.dropFirst(piece.readableBytes)
                try await writer.write(piece)
            }
            while !rest.isEmpty {
                let piece = try await next(rest)
                rest = rest.dropFirst(piece.readableBytes)
                try await writer.write(piece)
            }
            try await writer.finish(nil)
            withExtendedLifetime(held) {}
        }
        return Response(status: status, headers: headers, body: body)
    }

    private func next(_ range: Range<Int>) async throws -> ByteBuffer {
        do {
            return try await piece(of: range)
        } catch {
            try Task.checkCancellation()
            throw BrokenAnswer(cause: error)
        }
    }

    private func piece(of range: Range<Int>) async throws -> ByteBuffer {
        let piece = try await read(range)
        guard piece.readableBytes > 0, piece.readableBytes <= min(range.count, pieceBytes) else {
            throw WrongPiece()
        }
        return piece
    }

    /// What is read is not what was announced.
    private struct WrongPiece: Error {}
}

/// The piece that was read before the answer began, which goes as soon as it is written.
private final class FirstPiece: Sendable {
    private let piece: Mutex<ByteBuffer?>

    init(_ piece: ByteBuffer) {
        self.piece = Mutex(piece)
    }

    func take() -> ByteBuffer? {
        piece.withLock { piece in
            defer { piece = nil }
            return piece
        }
    }
}
