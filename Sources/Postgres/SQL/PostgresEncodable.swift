/// A value that can be a statement's parameter, in PostgreSQL's binary format.
package protocol PostgresEncodable: Sendable {
    static var postgresOID: UInt32 { get }
    var isPostgresNull: Bool { get }
    func encode(into encoder: inout PostgresEncoder)
}

/// A value that can stand in an array: `[Element]` and `[Element?]` are then encodable too.
package protocol PostgresArrayElement: PostgresEncodable {
    static var postgresArrayOID: UInt32 { get }
}

extension PostgresEncodable {
    package var isPostgresNull: Bool { false }
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    package static var postgresOID: UInt32 { RawValue.postgresOID }

    package func encode(into encoder: inout PostgresEncoder) {
        rawValue.encode(into: &encoder)
    }
}

extension PostgresArrayElement where Self: RawRepresentable, RawValue: PostgresArrayElement {
    package static var postgresArrayOID: UInt32 { RawValue.postgresArrayOID }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    package static var postgresOID: UInt32 { Wrapped.postgresOID }
    package var isPostgresNull: Bool { self?.isPostgresNull ?? true }

    package func encode(into encoder: inout PostgresEncoder) {
        self?.encode(into: &encoder)
    }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresArrayElement {
    package static var postgresArrayOID: UInt32 { Wrapped.postgresArrayOID }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    package static var postgresOID: UInt32 { Element.postgresArrayOID }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(Int32(isEmpty ? 0 : 1))
        encoder.append(Int32(contains(where: \.isPostgresNull) ? 1 : 0))
        encoder.append(Element.postgresOID)
        guard !isEmpty else { return }
        encoder.append(Int32(clamping: count))
        encoder.append(Int32(1))
        for element in self {
            if element.isPostgresNull {
                encoder.append(Int32(-1))
            } else {
                encoder.appendElement(element.encode)
            }
        }
    }
}
