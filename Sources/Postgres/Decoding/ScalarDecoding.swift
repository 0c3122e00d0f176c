package import Foundation

extension FixedWidthInteger {
    /// Reads a big-endian integer that fills `bytes`.
    static func read(_ bytes: UnsafeRawBufferPointer) throws -> Self {
        guard bytes.count == MemoryLayout<Self>.size else { throw PostgresDecodingError(Self.self, .malformed) }
        return Self(bigEndian: bytes.loadUnaligned(as: Self.self))
    }

    /// Reads any of PostgreSQL's integers, if its value fits.
    fileprivate static func readInteger(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Self {
        let value: Self? =
            switch oid {
            case PostgresOID.int8: Self(exactly: try Int64.read(bytes))
            case PostgresOID.int4: Self(exactly: try Int32.read(bytes))
            case PostgresOID.int2: Self(exactly: try Int16.read(bytes))
            case PostgresOID.oid: Self(exactly: try UInt32.read(bytes))
            default: throw PostgresDecodingError(Self.self, .typeMismatch(oid))
            }
        guard let value else { throw PostgresDecodingError(Self.self, .outOfRange) }
        return value
    }
}

extension Bool: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Bool {
        guard oid == PostgresOID.bool else { throw PostgresDecodingError(Self.self, .typeMismatch(oid)) }
        return try UInt8.read(bytes) != 0
    }
}

extension Int16: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Int16 {
        try readInteger(bytes, oid: oid)
    }
}

extension Int32: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Int32 {
        try readInteger(bytes, oid: oid)
    }
}

extension Int64: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Int64 {
        try readInteger(bytes, oid: oid)
    }
}

extension Int: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Int {
        try readInteger(bytes, oid: oid)
    }
}

extension Double: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Double {
        switch oid {
        case PostgresOID.float8: Double(bitPattern: try UInt64.read(bytes))
        case PostgresOID.float4: Double(Float(bitPattern: try UInt32.read(bytes)))
        default: throw PostgresDecodingError(Self.self, .typeMismatch(oid))
        }
    }
}

extension String: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> String {
        switch oid {
        case PostgresOID.text, PostgresOID.json, PostgresOID.varchar, PostgresOID.name, PostgresOID.bpchar,
            PostgresOID.char,
            PostgresOID.unknown:
            String(decoding: bytes, as: UTF8.self)
        default:
            throw PostgresDecodingError(Self.self, .typeMismatch(oid))
        }
    }
}

extension UUID: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> UUID {
        guard oid == PostgresOID.uuid else { throw PostgresDecodingError(Self.self, .typeMismatch(oid)) }
        guard bytes.count == 16 else { throw PostgresDecodingError(Self.self, .malformed) }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Date: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws -> Date {
        guard oid == PostgresOID.timestamptz else { throw PostgresDecodingError(Self.self, .typeMismatch(oid)) }
        let microseconds = try Int64.read(bytes)
        // The extremes stand for 'infinity' and '-infinity', which are no dates.
        guard microseconds != .max, microseconds != .min else { throw PostgresDecodingError(Self.self, .outOfRange) }
        return Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000 - Date.secondsBetweenEpochs)
    }
}
