import HTTPTypes
package import Hummingbird
package import NIOCore

/// Bytes that are the same for everybody and do not change while the program runs, compressed once.
package struct FixedContent: Sendable {
    private let content: ByteBuffer
    /// nil where compressing does not pay, as for pictures.
    private let compressed: ByteBuffer?
    private let fields: HTTPFields
    private let tag: EntityTag

    /// - Parameters:
    ///   - type: the value of `Content-Type`; what is text is compressed.
    ///   - more: fields of the answer; without a `Cache-Control` among them it is asked for again before every use.
    package init(_ content: ByteBuffer, type: String, more: HTTPFields = [:]) async {
        self.content = content
        tag = EntityTag(of: content)
        let isText = type.hasPrefix("text/") || type.contains("json") || type.contains("svg")
        let small = isText && content.readableBytes >= Gzip.minimum ? await Gzip.compressThoroughly(content) : nil
        compressed = small.flatMap { $0.readableBytes < content.readableBytes ? $0 : nil }
        var fields: HTTPFields = [.contentType: type, .cacheControl: "no-cache", .eTag: tag.text]
        if isText { fields[.vary] = "Accept-Encoding" }
        for field in more { fields[field.name] = field.value }
        self.fields = fields
    }

    /// How many bytes travel to a client that takes gzip.
    package var compressedBytes: Int { (compressed ?? content).readableBytes }

    /// The answer at an address where there is nothing, kept by nobody.
    func missing(_ request: Request) -> Response {
        var headers = fields
        headers[.eTag] = nil
        headers[.cacheControl] = nil
        return body(.notFound, headers, request)
    }

    /// The answer: 304 without the content where the client has it.
    package func response(to request: Request) -> Response {
        if let known = request.headers[.ifNoneMatch], tag.matches(ifNoneMatch: known) {
            return Response(status: .notModified, headers: fields)
        }
        return body(.ok, fields, request)
    }

    private func body(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ request: Request) -> Response {
        guard let compressed, AcceptEncoding.prefersGzip(request.headers[.acceptEncoding]) else {
            return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: content))
        }
        var headers = fields
        headers[.contentEncoding] = "gzip"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: compressed))
    }
}
