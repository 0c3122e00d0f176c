/// A `tsvector`: lexemes, and where they are.
package struct TextSearchVector: Sendable {
    private let bytes: [UInt8]

    /// Goes through its lexemes, in PostgreSQL's order.
    ///
    /// - Parameter body: is given a lexeme and its positions, which are only valid during the call.
    package func forEach(_ body: (String, Positions) -> Void) throws {
        try forEachUTF8 { body(String(decoding: $0, as: UTF8.self), $1) }
    }

    /// Goes through its lexemes as they are stored, in a small part of the time that strings of them take.
    ///
    /// - Parameter body: is given a lexeme's bytes and its positions, which are only valid during the call.
    package func forEachUTF8(_ body: (UnsafeRawBufferPointer, Positions) -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            var reader = Reader(rest: bytes)
            for _ in 0..<(try Int32.read(try reader.take(4))) {
                let lexeme = try reader.takeText()
                let count = try UInt16.read(try reader.take(2))
                body(lexeme, Positions(bytes: try reader.take(2 * Int(count))))
            }
        }
    }

    /// From 1 on.
    package struct Positions: Sequence {
        fileprivate let bytes: UnsafeRawBufferPointer

        package func makeIterator() -> some IteratorProtocol<Int> {
            stride(from: 0, to: bytes.count, by: 2).lazy.map { index in
                // The upper two bits are the weight.
                Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self)) & 0x3FFF)
            }.makeIterator()
        }
    }

    private struct Reader {
        var rest: UnsafeRawBufferPointer

        mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
            guard count <= rest.count else { throw PostgresDecodingError(TextSearchVector.self, .malformed) }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
            return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        }

        /// What ends with a zero.
        mutating func takeText() throws -> UnsafeRawBufferPointer {
            guard let end = rest.firstIndex(of: 0) else {
                throw PostgresDecodingError(TextSearchVector.self, .malformed)
            }
            let text = try take(end)
            _ = try take(1)
            return text
        }
    }
}

extension TextSearchVector: PostgresDecodable {
    /// Format: the number of lexemes; then for each its bytes, which end with a zero, the number of its positions, and
    /// those (`tsvectorsend` in PostgreSQL's `tsvector.c`).
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> TextSearchVector {
        guard oid == PostgresOID.tsvector else { throw PostgresDecodingError(Self.self, .typeMismatch(oid)) }
        return TextSearchVector(bytes: Array(bytes))
    }
}
