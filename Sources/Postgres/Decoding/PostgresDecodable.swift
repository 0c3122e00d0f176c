/// A value that can be read from a column in PostgreSQL's binary format.
package protocol PostgresDecodable {
    /// Reads `bytes`, which are only valid during the call, of type `oid`.
    static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Self
    static func decodeNull() throws -> Self
}

extension PostgresDecodable {
    package static func decodeNull() throws -> Self {
        throw PostgresDecodingError(Self.self, .null)
    }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Self {
        guard let value = Self(rawValue: try RawValue.decode(bytes, oid: oid)) else {
            throw PostgresDecodingError(Self.self, .malformed)
        }
        return value
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Wrapped? {
        try Wrapped.decode(bytes, oid: oid)
    }

    package static func decodeNull() throws -> Wrapped? {
        nil
    }
}
