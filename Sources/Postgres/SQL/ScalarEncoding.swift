package import Foundation

extension Bool: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.bool }
    package static var postgresArrayOID: UInt32 { PostgresOID.boolArray }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(UInt8(self ? 1 : 0))
    }
}

extension Int16: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.int2 }
    package static var postgresArrayOID: UInt32 { PostgresOID.int2Array }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(self)
    }
}

extension Int32: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.int4 }
    package static var postgresArrayOID: UInt32 { PostgresOID.int4Array }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(self)
    }
}

extension Int64: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.int8 }
    package static var postgresArrayOID: UInt32 { PostgresOID.int8Array }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(self)
    }
}

extension Int: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.int8 }
    package static var postgresArrayOID: UInt32 { PostgresOID.int8Array }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(Int64(self))
    }
}

extension Double: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.float8 }
    package static var postgresArrayOID: UInt32 { PostgresOID.float8Array }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(bitPattern)
    }
}

extension String: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.text }
    package static var postgresArrayOID: UInt32 { PostgresOID.textArray }

    package func encode(into encoder: inout PostgresEncoder) {
        encoder.append(text: self)
    }
}

extension UUID: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.uuid }
    package static var postgresArrayOID: UInt32 { PostgresOID.uuidArray }

    package func encode(into encoder: inout PostgresEncoder) {
        withUnsafeBytes(of: uuid) { encoder.append(raw: $0) }
    }
}

/// A `timestamptz`, to the microsecond.
extension Date: PostgresArrayElement {
    package static var postgresOID: UInt32 { PostgresOID.timestamptz }
    package static var postgresArrayOID: UInt32 { PostgresOID.timestamptzArray }

    /// Seconds from PostgreSQL's epoch (2000-01-01) to Foundation's (2001-01-01).
    static let secondsBetweenEpochs: Double = 366 * 86400

    package func encode(into encoder: inout PostgresEncoder) {
        guard let microseconds = postgresMicroseconds else { return encoder.refuse(.dateOutOfRange) }
        encoder.append(microseconds)
    }

    /// Since PostgreSQL's epoch; nil where they are more than it can count.
    var postgresMicroseconds: Int64? {
        Int64(exactly: ((timeIntervalSinceReferenceDate + Self.secondsBetweenEpochs) * 1_000_000).rounded())
    }
}
