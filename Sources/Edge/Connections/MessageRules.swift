import NIOCore
import NIOHTTP1

/// What RFC 9112 asks of requests and answers and NIO's codec leaves to others: `Host`, and clients of HTTP/1.0.
///
/// It stands where versions and single `Host` fields can still be seen. A request that is refused reaches nobody; the guard
/// is told as of any other bytes that are not HTTP.
final class MessageRules: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let bytes: IncomingBytes
    private var isRefusing = false
    private var requests = 0
    private var answers = 0
    /// Which request is of HTTP/1.0; it is the last one of its connection.
    private var oldRequest: Int?

    init(_ bytes: IncomingBytes) {
        self.bytes = bytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefusing else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): return take(head, context)
        case .body(let piece): bytes.take(piece)
        case .end: bytes.endRequest()
        }
        context.fireChannelRead(data)
    }

    private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var head = head
        guard let found = Self.read(head), bytes.endHead(isChunked: found.coding == .chunked) else {
            isRefusing = true
            return context.fireErrorCaught(HTTPParserError.unknown)
        }
        // What is not ASCII is opaque (RFC 9110 §5.5), and wrong wherever a value is asked for here: each byte is as good as a
        // question mark, which is compared in less time.
        if found.hasOpaque {
            head.headers = HTTPHeaders(head.headers.map { ($0.name, Self.plain($0.value)) })
        }
        requests += 1
        guard head.version == .http1_0 else { return context.fireChannelRead(wrapInboundOut(.head(head))) }
        oldRequest = oldRequest ?? requests
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        // A client of HTTP/1.0 knows no interim answers (RFC 9110 §10.1.1).
        head.headers.remove(name: "Expect")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private enum Coding {
        case identity
        case chunked
    }

    /// How the body is coded, and whether a value is not of ASCII; nil where the head is wrong by RFC 9112 §3.2 or §6.1.
    private static func read(_ head: HTTPRequestHead) -> (coding: Coding, hasOpaque: Bool)? {
        guard head.method == .CONNECT || isTarget(head.uri) else { return nil }
        var hasHost = false
        var hasOpaque = false
        var coding = Coding.identity
        // One pass: looking fields up by name splits their values at commas, which took a tenth of a short request.
        for (name, value) in head.headers {
            let isASCII = value.isASCII
            if !isASCII { hasOpaque = true }
            switch name.utf8.count {
            case 4 where Self.isName(name, "host"):
                guard !hasHost, HostField.isValid(value[...]) else { return nil }
                hasHost = true
            // What the parser has gone by must be what is read here, and of codings there is one (§6.1, §7.4).
            case 10 where Self.isName(name, "connection"): guard isASCII else { return nil }
            case 17 where Self.isName(name, "transfer-encoding"):
                guard isASCII, value.lowercased() == "chunked" else { return nil }
                coding = .chunked
            case _: break
            }
        }
        switch head.version {
        case .http1_1: return hasHost ? (coding, hasOpaque) : nil
        case .http1_0: return coding == .identity ? (coding, hasOpaque) : nil
        default: return nil
        }
    }

    /// A path, `*`, or a whole URI, which has a host.
    private static func isTarget(_ target: String) -> Bool {
        if target.utf8.first == UInt8(ascii: "/") || target == "*" { return true }
        guard let scheme = target.utf8.firstRange(of: "://".utf8) else { return false }
        let authority = target.utf8[scheme.upperBound...].prefix { !"/?#".utf8.contains($0) }
        return HostField.isValid(Substring(authority))
    }

    private static func plain(_ value: String) -> String {
        String(decoding: value.utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Without another string for each field of each request. Names are of ASCII, as the parser demands.
    private static func isName(_ name: String, _ small: StaticString) -> Bool {
        small.withUTF8Buffer { small in
            zip(name.utf8, small).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200 else {
            return context.write(data, promise: promise)
        }
        answers += 1
        guard answers == oldRequest else { return context.write(data, promise: promise) }
        // Chunks would be taken for content: an answer of unknown length ends with its connection.
        head.version = .http1_0
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension MessageRules: Sendable {}
