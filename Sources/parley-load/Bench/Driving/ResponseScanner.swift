import Glibc
import NIOCore

/// Reads HTTP/1.1 answers out of a byte stream, with as little work as a load generator can do: no strings, no copies
/// where an answer comes in one piece, and of the head only what frames the body and `Parley-Position`.
struct ResponseScanner {
    enum Problem: Error {
        case notHTTP
        /// Neither a `Content-Length` nor chunks: the end could not be told.
        case noLength
        case tooLarge
    }

    private enum State {
        case head
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
    }

    private static let largestHead = 64 << 10
    private static let largestLine = 1 << 10
    private static let largestBody = 64 << 20

    private var buffer = ByteBuffer()
    private var state = State.head
    private var status = 0
    private var positionBytes: [UInt8] = []

    /// The `Parley-Position` of the last answer that had one.
    var position: String? { positionBytes.isEmpty ? nil : String(decoding: positionBytes, as: UTF8.self) }

    mutating func feed(_ bytes: inout ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            buffer.writeBuffer(&bytes)
        }
    }

    /// The status of the next whole answer; nil until more bytes come.
    ///
    /// - Parameter onBody: gets the body piece by piece, as it comes.
    mutating func next(_ onBody: ((UnsafeRawBufferPointer) -> Void)? = nil) throws -> Int? {
        while true {
            switch state {
            case .head:
                guard let found = try readHead() else { return waiting() }
                state = found
            case .body(let left):
                let rest = pass(left, onBody)
                state = .body(left: rest)
                guard rest == 0 else { return waiting() }
                return finished()
            case .chunkSize:
                guard let size = try readChunkSize() else { return waiting() }
                state = size == 0 ? .trailer : .chunk(left: size)
            case .chunk(let left):
                let rest = pass(left, onBody)
                state = rest == 0 ? .chunkEnd : .chunk(left: rest)
                guard rest == 0 else { return waiting() }
            case .chunkEnd:
                guard let line = try readLine({ $0.count }) else { return waiting() }
                guard line == 0 else { throw Problem.notHTTP }
                state = .chunkSize
            case .trailer:
                guard let line = try readLine({ $0.count }) else { return waiting() }
                if line == 0 { return finished() }
            }
        }
    }

    /// Lets the bytes go once all are read, so that the channel can use their memory again.
    private mutating func waiting() -> Int? {
        if buffer.readableBytes == 0 { buffer = ByteBuffer() } else { buffer.discardReadBytes() }
        return nil
    }

    private mutating func finished() -> Int {
        state = .head
        if buffer.readableBytes == 0 { buffer = ByteBuffer() }
        return status
    }

    /// Passes on up to so many bytes, and returns how many are still to come.
    private mutating func pass(_ left: Int, _ onBody: ((UnsafeRawBufferPointer) -> Void)?) -> Int {
        let count = min(left, buffer.readableBytes)
        if count > 0, let onBody {
            buffer.withUnsafeReadableBytes { onBody(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        buffer.moveReaderIndex(forwardBy: count)
        return left - count
    }

    private mutating func readHead() throws -> State? {
        var length: Int?
        var isChunked = false
        let consumed = try buffer.withUnsafeReadableBytes { bytes -> Int? in
            var start = 0
            while let base = bytes.baseAddress, let feed = memchr(base + start, 0x0A, bytes.count - start) {
                let next = UnsafeRawPointer(feed) - base + 1
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<max(next - 2, start)])
                if start == 0 {
                    status = try Self.status(line)
                } else if line.isEmpty {
                    return next
                } else if let value = Self.value(of: "content-length", in: line) {
                    length = Self.number(value, radix: 10)
                    if length == nil { throw Problem.noLength }
                } else if let value = Self.value(of: "transfer-encoding", in: line) {
                    isChunked = value.elementsEqual("chunked".utf8) { $0 | 0x20 == $1 }
                } else if let value = Self.value(of: "parley-position", in: line) {
                    positionBytes.removeAll(keepingCapacity: true)
                    positionBytes.append(contentsOf: value)
                }
                start = next
            }
            if bytes.count > Self.largestHead { throw Problem.tooLarge }
            return nil
        }
        guard let consumed else { return nil }
        buffer.moveReaderIndex(forwardBy: consumed)
        if isChunked { return .chunkSize }
        if status == 204 || status == 304 { return .body(left: 0) }
        guard let length else { throw Problem.noLength }
        guard length <= Self.largestBody else { throw Problem.tooLarge }
        return .body(left: length)
    }

    /// `HTTP/1.1 201 …`
    private static func status(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        guard bytes.count >= 12, bytes.starts(with: "HTTP/1.".utf8),
            let status = number(UnsafeRawBufferPointer(rebasing: bytes[9..<12]), radix: 10)
        else { throw Problem.notHTTP }
        return status
    }

    private static func value(of name: StaticString, in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = name.utf8CodeUnitCount
        // The colon first: it rules out nearly every other line.
        guard line.count > count, line[count] == UInt8(ascii: ":") else { return nil }
        for index in 0..<count where line[index] | 0x20 != name.utf8Start[index] | 0x20 { return nil }
        var start = count + 1
        while start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        return UnsafeRawBufferPointer(rebasing: line[start...])
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, radix: Int) -> Int? {
        guard (1...15).contains(bytes.count) else { return nil }
        var number = 0
        for byte in bytes {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: return nil
            }
            guard digit < radix else { return nil }
            number = number * radix + Int(digit)
        }
        return number
    }

    private mutating func readChunkSize() throws -> Int? {
        try readLine { line in
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            guard let size = Self.number(UnsafeRawBufferPointer(rebasing: digits), radix: 16) else {
                throw Problem.notHTTP
            }
            guard size <= Self.largestBody else { throw Problem.tooLarge }
            return size
        }
    }

    /// Reads a short line, without its end; nil until it is whole.
    private mutating func readLine<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
        var length = 0
        let value = try buffer.withUnsafeReadableBytes { bytes -> Value? in
            guard let base = bytes.baseAddress, let feed = memchr(base, 0x0A, bytes.count) else {
                if bytes.count > Self.largestLine { throw Problem.tooLarge }
                return nil
            }
            length = UnsafeRawPointer(feed) - base + 1
            return try body(UnsafeRawBufferPointer(rebasing: bytes[..<max(length - 2, 0)]))
        }
        buffer.moveReaderIndex(forwardBy: length)
        return value
    }
}
