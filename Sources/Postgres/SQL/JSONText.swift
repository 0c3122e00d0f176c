/// A JSON document in UTF-8, sent as `json`; `json` and `jsonb` columns decode into it.
package struct JSONText: Sendable, Hashable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension JSONText: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.json }
    package static var postgresArrayOID: UInt32 { PostgresOID.jsonArray }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(text: bytes)
    }
}

extension JSONText: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> JSONText {
        switch oid {
        case PostgresOID.json:
            return JSONText(Array(bytes))
        case PostgresOID.jsonb:
            // jsonb's binary form is a version byte, 1, and then the text.
            guard bytes.first == 1 else { throw PostgresDecodingError(Self.self, .malformed) }
            return JSONText(Array(bytes.dropFirst()))
        default:
            throw PostgresDecodingError(Self.self, .typeMismatch(oid))
        }
    }
}
