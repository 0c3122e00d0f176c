/// A value that can be a statement's parameter, in PostgreSQL's binary format.
package protocol PostgresEncodable: Sendable {
    static var postgresOID: UInt32 { get }
    var isPostgresNull: Bool { get }
    func encode(into encoder: inout PostgresEncoder)
}

/// A value that can stand in an array: `[Element]` and `[Element?]` are then encodable too.
package protocol PostgresArrayElement: PostgresEncodable {
    static var postgresArrayOID: UInt32 { get }
    /// Appends elements in the form that they have in an array. Requirements with one implementation, so that each type has
    /// a copy that is compiled for it: large batches are little else than this loop.
    static func append(_ elements: [Self], to encoder: inout PostgresEncoder)
    static func append(optional elements: [Self?], to encoder: inout PostgresEncoder)
}

extension PostgresArrayElement {
    package static func append(_ elements: [Self], to encoder: inout PostgresEncoder) {
        encoder.beginArray(
            of: Self.postgresOID,
            count: elements.count,
            hasNulls: elements.contains(where: \.isPostgresNull)
        )
        for element in elements { append(element, to: &encoder) }
    }

    package static func append(optional elements: [Self?], to encoder: inout PostgresEncoder) {
        let hasNulls = elements.contains { $0?.isPostgresNull ?? true }
        encoder.beginArray(of: Self.postgresOID, count: elements.count, hasNulls: hasNulls)
        for element in elements {
            if let element { append(element, to: &encoder) } else { encoder.append(Int32(-1)) }
        }
    }

    private static func append(_ element: Self, to encoder: inout PostgresEncoder) {
        if element.isPostgresNull {
            encoder.append(Int32(-1))
        } else {
            encoder.appendElement { element.encode(into: &$0) }
        }
    }
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

    package static func append(_ elements: [Self], to encoder: inout PostgresEncoder) {
        Wrapped.append(optional: elements, to: &encoder)
    }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    package static var postgresOID: UInt32 { Element.postgresArrayOID }

    package func encode(into encoder: inout PostgresEncoder) {
        Element.append(self, to: &encoder)
    }
}
