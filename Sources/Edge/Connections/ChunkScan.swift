/// Reads along in a body of chunks, for where it ends (RFC 9112 §7.1). What is wrong in it the parser refuses.
struct ChunkScan {
    private enum Place {
        /// In the line before a chunk's data, which says how long they are, maybe followed by extensions.
        case size(Int, isRead: Bool)
        /// In the data, so many bytes before the end of the line behind them.
        case data(Int)
        case lineEnd
        /// Behind the last chunk: fields, and an empty line.
        case fields(isLineEmpty: Bool)
    }

    private static let longest = 1 << 48

    private var place = Place.size(0, isRead: false)

    /// - Returns: behind which byte the body ends, if it does in these.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        while position < bytes.count {
            switch place {
            case .data(let rest):
                let taken = min(rest, bytes.count - position)
                position += taken
                place = taken == rest ? .lineEnd : .data(rest - taken)
            case .size, .lineEnd, .fields:
                let end = bytes.lineFeed(from: position)
                take(UnsafeRawBufferPointer(rebasing: bytes[position..<(end ?? bytes.count)]))
                guard let end else { return nil }
                position = end + 1
                if endLine() { return position }
            }
        }
        return nil
    }

    /// Takes a line or a part of one, without its end.
    private mutating func take(_ line: UnsafeRawBufferPointer) {
        switch place {
        case .size(var size, isRead: false):
            for byte in line {
                guard let digit = Self.digit(byte) else {
                    place = .size(size, isRead: true)
                    return
                }
                // Longer ones the parser refuses.
                size = min(size, Self.longest) << 4 | digit
            }
            place = .size(size, isRead: false)
        case .fields(isLineEmpty: true):
            place = .fields(isLineEmpty: line.allSatisfy { $0 == UInt8(ascii: "\r") })
        case .size, .data, .lineEnd, .fields: break
        }
    }

    /// - Returns: whether the body ends with this line.
    private mutating func endLine() -> Bool {
        switch place {
        case .size(0, _): place = .fields(isLineEmpty: true)
        case .size(let size, _): place = .data(size)
        case .lineEnd: place = .size(0, isRead: false)
        case .fields(let isLineEmpty):
            if isLineEmpty { return true }
            place = .fields(isLineEmpty: true)
        case .data: break
        }
        return false
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
