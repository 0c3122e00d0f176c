/// All parameters of a statement, in the layout that libpq's send functions take, so that sending copies nothing.
struct Arguments: Sendable, Hashable {
    private(set) var types: [UInt32] = []
    /// Bytes of each value; -1 for NULL.
    private(set) var lengths: [Int32] = []
    private(set) var formats: [Int32] = []
    /// The values one after the other; one in text format is followed by a NUL, since libpq reads it as a C string.
    private var encoder = PostgresEncoder()

    var count: Int { types.count }
    var bytes: [UInt8] { encoder.bytes }
    var fault: PostgresRequestError? { encoder.fault }

    mutating func reserve(_ count: Int) {
        types.reserveCapacity(count)
        lengths.reserveCapacity(count)
        formats.reserveCapacity(count)
    }

    mutating func refuse(_ fault: PostgresRequestError) {
        encoder.refuse(fault)
    }

    mutating func append<Value: PostgresEncodable>(_ value: Value) {
        let start = encoder.bytes.count
        let isNull = value.isPostgresNull
        if !isNull { value.encode(into: &encoder) }
        let length = isNull ? -1 : Int32(clamping: encoder.bytes.count - start)
        append(type: Value.postgresOID, length: length, format: .binary)
    }

    mutating func append(_ parameter: SQLParameter) {
        guard let bytes = parameter.bytes else {
            append(type: parameter.oid, length: -1, format: parameter.format)
            return
        }
        encoder.append(bytes)
        if parameter.format == .text {
            if bytes.contains(0) { refuse(.containsNUL) }
            encoder.append([0])
        }
        append(type: parameter.oid, length: Int32(clamping: bytes.count), format: parameter.format)
    }

    mutating func append(_ other: Arguments) {
        types += other.types
        lengths += other.lengths
        formats += other.formats
        encoder.append(other.encoder)
    }

    private mutating func append(type: UInt32, length: Int32, format: SQLParameter.Format) {
        types.append(type)
        lengths.append(length)
        formats.append(format.rawValue)
    }

    /// Calls `body` with the address of the values, which exists even if all of them are empty: libpq would take NULL for
    /// SQL's NULL.
    func withBytes<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        encoder.bytes.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { return body(base) }
            return withUnsafeBytes(of: UInt8(0)) { nothing in
                guard let base = nothing.baseAddress else { preconditionFailure("one byte has an address") }
                return body(base)
            }
        }
    }

    /// Calls `body` with the offset in `bytes` of each parameter in turn, nil for NULL.
    func forEachOffset(_ body: (Int?) -> Void) {
        var offset = 0
        for (length, format) in zip(lengths, formats) {
            guard length >= 0 else {
                body(nil)
                continue
            }
            body(offset)
            offset += Int(length) + (format == SQLParameter.Format.text.rawValue ? 1 : 0)
        }
    }

    var parameters: [SQLParameter] {
        var result: [SQLParameter] = []
        forEachOffset { offset in
            let index = result.count
            let format = formats[index] == SQLParameter.Format.text.rawValue ? SQLParameter.Format.text : .binary
            let value = offset.map { Array(bytes[$0..<$0 + Int(lengths[index])]) }
            result.append(SQLParameter(oid: types[index], format: format, bytes: value))
        }
        return result
    }
}
