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

    private var isRefusing = false
    private var requests = 0
    private var answers = 0
    /// Which request is of HTTP/1.0; it is the last one of its connection.
    private var oldRequest: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefusing else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard Self.isRight(head) else {
            isRefusing = true
            return context.fireErrorCaught(HTTPParserError.unknown)
        }
        // What is not ASCII is opaque (RFC 9110 §5.5), and wrong wherever a value is asked for here: each byte is as good as a
        // question mark, which is compared in less time.
        if head.headers.contains(where: { !$0.value.isASCII }) {
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

    /// RFC 9112 §3.2 and §6.1.
    private static func isRight(_ head: HTTPRequestHead) -> Bool {
        var hasHost = false
        // One pass: looking fields up by name splits their values at commas, which took a tenth of a short request.
        for (name, value) in head.headers {
            switch name.utf8.count {
            case 4 where Self.isName(name, "host"):
                guard !hasHost, HostField.isValid(value[...]) else { return false }
                hasHost = true
            // What the parser has gone by must be what is read here, and of codings there is one (§6.1, §7.4).
            case 10 where Self.isName(name, "connection"): guard value.isASCII else { return false }
            case 17 where Self.isName(name, "transfer-encoding"):
                guard value.isASCII, value.lowercased() == "chunked" else { return false }
            case _: break
            }
        }
        switch head.version {
        case .http1_1: return hasHost
        case .http1_0: return !head.headers.contains(name: "Transfer-Encoding")
        default: return false
        }
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
