import HTTPTypes
import NIOCore

/// Remembers what is being read while it is parsed: the parser knows the methods of its day and takes every other one for
/// garbage, but RFC 9110 §15.5.6 has an answer for it.
final class UnknownMethods: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var reading: ByteBuffer?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reading = unwrapInboundIn(data)
        context.fireChannelRead(data)
        reading = nil
    }

    /// The request that stands at the beginning of what is being read, if its first line is one of HTTP; as the last one of
    /// its connection, since nothing behind the line was understood.
    var request: HTTPRequest? {
        guard let bytes = reading?.readableBytesView, let end = bytes.prefix(Self.longestLine).firstIndex(of: 0x0D)
        else {
            return nil
        }
        let parts = String(decoding: bytes[..<end], as: UTF8.self).split(
            separator: " ",
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, parts[1].hasPrefix("/"), parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0",
            let method = HTTPRequest.Method(String(parts[0]))
        else { return nil }
        return HTTPRequest(
            method: method,
            scheme: nil,
            authority: nil,
            path: String(parts[1]),
            headerFields: [.connection: "close"]
        )
    }

    private static let longestLine = 1_024
}

@available(*, unavailable)
extension UnknownMethods: Sendable {}
