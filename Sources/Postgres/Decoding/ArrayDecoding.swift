extension Array: PostgresDecodable where Element: PostgresDecodable {
    /// Reads a one-dimensional array.
    ///
    /// Format: dimensions, null flag, element type; then per dimension its size and lower bound; then per element its
    /// length, -1 for NULL, and its bytes.
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> [Element] {
        var reader = ArrayReader(rest: bytes)
        let dimensions = try reader.int32()
        _ = try reader.int32()
        let elementOID = UInt32(bitPattern: try reader.int32())
        guard dimensions != 0 else { return [] }
        guard dimensions == 1 else { throw PostgresDecodingError(Self.self, .malformed) }
        let count = Int(try reader.int32())
        _ = try reader.int32()
        // Each element takes at least the four bytes of its length.
        guard count >= 0, count <= reader.rest.count / 4 else { throw PostgresDecodingError(Self.self, .malformed) }
        var result: [Element] = []
        result.reserveCapacity(count)
        for _ in 0..<count {
            let length = Int(try reader.int32())
            if length == -1 {
                result.append(try Element.decodeNull())
            } else {
                result.append(try Element.decode(try reader.take(length), oid: elementOID))
            }
        }
        return result
    }
}

private struct ArrayReader {
    var rest: UnsafeRawBufferPointer

    mutating func int32() throws -> Int32 {
        try Int32.read(try take(4))
    }

    mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest.count else { throw PostgresDecodingError([UInt8].self, .malformed) }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}
