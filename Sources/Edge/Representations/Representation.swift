import HTTPTypes
package import Hummingbird
import NIOCore
package import ParleyWire

/// What a read answers with: JSON that a client may keep and ask for again by its tag, compressed where that pays.
///
/// Never for an answer with a token or a password's outcome: what is compressed tells by its length of what is in it.
package struct Representation: Sendable {
    /// What is longer is written, hashed and compressed away from the connection's event loop, whose other connections
    /// would wait.
    static let largest = 64 * 1_024

    private let content: @Sendable () -> ByteBuffer
    private let isLarge: Bool
    private let isKept: Bool

    private init(isLarge: Bool = false, isKept: Bool, _ content: @escaping @Sendable () -> ByteBuffer) {
        self.content = content
        self.isLarge = isLarge
        self.isKept = isKept
    }

    package init(_ value: some JSONWritable & Sendable) {
        self.init(isLarge: value.weight > Self.largest, isKept: true) { ByteBuffer(bytes: JSONWriter.data(of: value)) }
    }

    /// For what is read rarely.
    ///
    /// - Parameter weight: about how many bytes it will be, where that may be very many.
    package init(encoding value: some Encodable & Sendable, weighing weight: Int = 0) {
        self.init(isLarge: weight > Self.largest, isKept: true) { JSONBody.encodeStably(value) }
    }

    /// An answer about a moment that does not come again, as JSON: it has no tag, and is not to be kept.
    package static func momentary(_ content: ByteBuffer) -> Representation {
        Representation(isLarge: content.readableBytes > largest, isKept: false) { content }
    }

    /// The answer: 304 without the content where the client has it.
    package func response(to request: Request) async -> Response {
        guard isLarge else { return await makeResponse(to: request) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { await makeResponse(to: request) }
    }

    @concurrent private func makeResponse(to request: Request) async -> Response {
        let content = content()
        var headers: HTTPFields = [.vary: "Authorization, Cookie, Accept-Encoding"]
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
