import HTTPTypes
package import Hummingbird
import NIOCore
package import ParleyWire

/// What a read answers with: JSON that a client may keep and ask for again by its tag, compressed where that pays.
///
/// Never for an answer with a token or a password's outcome: what is compressed tells by its length of what is in it.
package struct Representation: Sendable {
    private let content: ByteBuffer
    private let isKept: Bool

    private init(_ content: ByteBuffer, isKept: Bool) {
        self.content = content
        self.isKept = isKept
    }

    package init(_ value: some JSONWritable) {
        self.init(ByteBuffer(bytes: JSONWriter.data(of: value)), isKept: true)
    }

    /// For what is read rarely.
    package init(encoding value: some Encodable) {
        self.init(JSONBody.encodeStably(value), isKept: true)
    }

    /// An answer about a moment that does not come again: it has no tag, and is not to be kept.
    package static func momentary(_ value: some JSONWritable) -> Representation {
        Representation(ByteBuffer(bytes: JSONWriter.data(of: value)), isKept: false)
    }

    package static func momentary(encoding value: some Encodable) -> Representation {
        Representation(JSONBody.encode(value), isKept: false)
    }

    /// The answer: 304 without the content where the client has it.
    package func response(to request: Request) async -> Response {
        var headers: HTTPFields = [.vary: "Authorization, Accept-Encoding"]
        if isKept {
            let tag = EntityTag(of: content)
            headers[.eTag] = tag.text
            // Kept by the client itself only, and asked for again before every use.
            headers[.cacheControl] = "private, no-cache"
            if let known = request.headers[.ifNoneMatch], tag.matches(ifNoneMatch: known) {
                return Response(status: .notModified, headers: headers)
            }
        }
        headers[.contentType] = "application/json"
        var body = content
        if content.readableBytes >= Gzip.minimum, AcceptEncoding.prefersGzip(request.headers[.acceptEncoding]),
            let compressed = await Gzip.compress(content)
        {
            headers[.contentEncoding] = "gzip"
            body = compressed
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

extension Routes<CallerContext> {
    /// A route for GET, and so for HEAD, that only reads.
    package func read(
        _ path: String,
        use handler: @Sendable @escaping (Request, CallerContext) async throws -> Representation
    ) {
        get(path) { request, context in try await handler(request, context).response(to: request) }
    }
}
