import Foundation

/// Collects the binary forms of parameters.
///
/// Encoding happens while a `SQL` literal is built, where nothing can be thrown: a value that PostgreSQL cannot hold is
/// remembered as `fault` and refused when the statement is sent.
package struct PostgresEncoder: Sendable, Hashable {
    private(set) var bytes: [UInt8] = []
    private(set) var fault: PostgresRequestError?

    mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ raw: [UInt8]) {
        bytes.append(contentsOf: raw)
    }

    mutating func append(raw: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: raw)
    }

    mutating func append(text: String) {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        refuseNUL(from: start)
    }

    mutating func append(text: [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: text)
        refuseNUL(from: start)
    }

    mutating func append(_ other: PostgresEncoder) {
        bytes += other.bytes
        fault = fault ?? other.fault
    }

    /// Begins an array of one dimension, or an empty one, which has none.
    mutating func beginArray(of elementOID: UInt32, count: Int, hasNulls: Bool) {
        append(Int32(count == 0 ? 0 : 1))
        append(Int32(hasNulls ? 1 : 0))
        append(elementOID)
        guard count > 0 else { return }
        append(Int32(clamping: count))
        append(Int32(1))
    }

    /// Appends what `body` appends, preceded by its length: the form of an array's element.
    mutating func appendElement(_ body: (inout PostgresEncoder) -> Void) {
        let start = bytes.count
        append(Int32(0))
        body(&self)
        let length = UInt32(clamping: bytes.count - start - 4)
        for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(3 - place))) }
    }

    mutating func refuse(_ newFault: PostgresRequestError) {
        fault = fault ?? newFault
    }

    private mutating func refuseNUL(from start: Int) {
        let hasNUL = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[start...]).containsZero }
        if hasNUL { refuse(.containsNUL) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a byte is 0; `memchr` looks at many at once.
    var containsZero: Bool {
        guard let baseAddress else { return false }
        return memchr(baseAddress, 0, count) != nil
    }
}
