/// A `bytea`.
package struct Bytes: Sendable, Hashable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension Bytes: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.bytea }
    package static var postgresArrayOID: UInt32 { PostgresOID.byteaArray }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(bytes)
    }
}

extension Bytes: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Bytes {
        guard oid == PostgresOID.bytea else { throw PostgresDecodingError(Self.self, .typeMismatch(oid)) }
        return Bytes(Array(bytes))
    }
}
