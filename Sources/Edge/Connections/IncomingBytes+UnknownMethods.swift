import HTTPTypes
import NIOCore

/// The parser knows the methods of its day and takes every other one for garbage, but RFC 9110 §15.5.6 has an answer for it.
extension IncomingBytes {
    /// The request that stands at the beginning of what is being read, if its first line is one of HTTP; as the last one of
    /// its connection, since nothing behind the line was understood.
    var requestOfUnknownMethod: HTTPRequest? {
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
        guard parts[2] == "HTTP/1.0" || Self.mayNameHost(bytes[end...]) else { return nil }
        return HTTPRequest(
            method: method,
            scheme: nil,
            authority: nil,
            path: String(parts[1]),
            headerFields: [.connection: "close"]
        )
    }

    /// Whether these lines name one valid host, or may still do so where not all of them have come.
    private static func mayNameHost(_ lines: ByteBufferView) -> Bool {
        var hosts = 0
        // The first one is what is left of the request's own line.
        for line in lines.split(separator: 0x0A).dropFirst() {
            if line.first == 0x0D { return hosts == 1 }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard name.map({ $0 | 0x20 }) == Array("host".utf8) else { continue }
            let value = line[name.endIndex...].dropFirst().drop(while: isSpace)
            hosts += 1
            guard hosts == 1, let end = value.lastIndex(where: { !isSpace($0) }),
                HostField.isValid(String(decoding: value[...end], as: UTF8.self)[...])
            else { return false }
        }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static let longestLine = 1_024
}
