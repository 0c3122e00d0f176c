import NIOCore

/// A request whose bytes are made once, with places that are filled in anew each time.
///
/// `{uuid}` becomes a fresh UUIDv7, the same wherever a request names it; `{counter}` becomes the number of the request
/// in its run, ten digits from 1,000,000,000 on. Both have a fixed width, so a request costs a copy of some bytes.
struct RequestTemplate: Sendable {
    /// Added to a request's number, so that the counter has its digits and reads as a number in JSON, too.
    static let counterBase = 1_000_000_000

    private static let uuidField = "{uuid}"
    private static let counterField = "{counter}"

    private let prepared: ByteBuffer
    private let uuidOffsets: [Int]
    private let counterOffsets: [Int]

    init(
        _ method: String,
        _ target: String,
        to address: ServerAddress,
        headers: [(name: String, value: String)] = [],
        body: String? = nil
    ) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: \(address.host):\(address.port)\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if let body { text += "Content-Length: \(Self.width(of: body))\r\n" }
        text += "\r\n" + (body ?? "")
        self.init(text: text)
    }

    /// A person's request.
    ///
    /// - Parameter json: The body, if it has one.
    init(_ method: String, _ target: String, to address: ServerAddress, token: String, json: String? = nil) {
        var headers = [(name: "Authorization", value: "Bearer \(token)")]
        if json != nil { headers.append((name: "Content-Type", value: "application/json")) }
        self.init(method, target, to: address, headers: headers, body: json)
    }

    private init(text: String) {
        var bytes = ByteBuffer()
        var uuids: [Int] = []
        var counters: [Int] = []
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            bytes.writeSubstring(rest[..<brace])
            rest = rest[brace...]
            if rest.hasPrefix(Self.uuidField) {
                uuids.append(bytes.writerIndex)
                bytes.writeRepeatingByte(UInt8(ascii: "0"), count: FreshIDs.width)
                rest = rest.dropFirst(Self.uuidField.count)
            } else if rest.hasPrefix(Self.counterField) {
                counters.append(bytes.writerIndex)
                bytes.writeString("\(Self.counterBase)")
                rest = rest.dropFirst(Self.counterField.count)
            } else {
                bytes.writeString("{")
                rest = rest.dropFirst()
            }
        }
        bytes.writeSubstring(rest)
        prepared = bytes
        uuidOffsets = uuids
        counterOffsets = counters
    }

    private static func width(of body: String) -> Int {
        body.replacing(uuidField, with: String(repeating: "0", count: FreshIDs.width))
            .replacing(counterField, with: "\(counterBase)").utf8.count
    }

    /// A buffer for ``fill(_:number:ids:)``, which one connection uses again and again.
    func makeBuffer() -> ByteBuffer { prepared }

    /// Makes the next request out of the last one.
    func fill(_ buffer: inout ByteBuffer, number: Int, ids: inout FreshIDs) {
        guard !uuidOffsets.isEmpty || !counterOffsets.isEmpty else { return }
        buffer.withUnsafeMutableReadableBytes { bytes in
            if !uuidOffsets.isEmpty {
                ids.advance()
                for offset in uuidOffsets { ids.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])) }
            }
            for offset in counterOffsets {
                var rest = Self.counterBase + number
                for place in stride(from: offset + 9, through: offset, by: -1) {
                    bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
            }
        }
    }
}
