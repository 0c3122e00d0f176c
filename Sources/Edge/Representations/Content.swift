package import HTTPTypes
package import Hummingbird
package import NIOCore

/// Bytes of a known length that are answered piece by piece, as fast as the client takes them, whole or in part: a file is
/// never held in memory.
package struct Content: Sendable {
    /// Reads the next piece of a range, at least a byte of it.
    package typealias Reader = @Sendable (Range<Int>) async throws -> ByteBuffer

    private let length: Int
    private let type: String
    /// A strong tag, in its quotation marks: the same only for the same bytes.
    private let tag: String
    private let more: HTTPFields
    private let read: Reader

    /// - Parameter more: fields of the answer, such as another `Cache-Control` than asking again each time.
    package init(length: Int, type: String, tag: String, more: HTTPFields = [:], read: @escaping Reader) {
        self.more = more
        self.length = length
        self.type = type
        self.tag = tag
        self.read = read
    }

    /// The answer: 304 where the client has it, 206 where it asks for a part, 416 for a part that there is not.
    ///
    /// - Throws: what reading its first piece throws: once the head is written, it is too late to refuse.
    package func response(to request: Request) async throws -> Response {
        var headers: HTTPFields = [.eTag: tag, .acceptRanges: "bytes", .cacheControl: "private, no-cache"]
        for field in more { headers[field.name] = field.value }
        let known = request.headers[.ifNoneMatch]?.split(separator: ",").map { $0.filter { $0 != " " } } ?? []
        if known.contains(where: { $0 == tag || $0 == "*" }) {
            return Response(status: .notModified, headers: headers)
        }
        let isCurrent = request.headers[.ifRange].map { $0 == tag } ?? true
        let range = request.method == .get ? request.headers[.range] : nil
        switch ByteRange(range, of: length, isCurrent: isCurrent) {
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(length)"
            headers[.contentLength] = "0"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        case .whole:
            return try await response(.ok, 0..<length, headers, isHead: request.method == .head)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
            return try await response(.partialContent, part, headers, isHead: false)
        }
    }

    private func response(
        _ status: HTTPResponse.Status,
        _ part: Range<Int>,
        _ headers: HTTPFields,
        isHead: Bool
    ) async throws -> Response {
        var headers = headers
        headers[.contentType] = type
        var first = ByteBuffer()
        if !part.isEmpty {
            // Of what nobody is to have, a byte tells whether it could be had.
            first = try await piece(of: isHead ? part.lowerBound..<part.lowerBound + 1 : part)
        }
        let body = ResponseBody(contentLength: part.count) { [first] writer in
            try await writer.write(first)
            var rest = part.dropFirst(first.readableBytes)
            while !rest.isEmpty {
                let piece = try await next(rest)
                rest = rest.dropFirst(piece.readableBytes)
                try await writer.write(piece)
            }
            try await writer.finish(nil)
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
        guard piece.readableBytes > 0, piece.readableBytes <= range.count else { throw ContentTooShort() }
        return piece
    }

    /// What is read is not what was announced.
    private struct ContentTooShort: Error {}
}
