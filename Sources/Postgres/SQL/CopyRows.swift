package import Foundation

/// Rows on their way into a table, in the binary format of `COPY`.
///
/// Of that format a server quotes nothing when it refuses a row, neither to the client nor in its log; of the text format
/// it quotes the row. Each row is begun, and given its fields in the order of the columns. There is a method for each type,
/// and none that is generic: another module would call that unspecialised, for each field of each row.
package struct CopyRows: Sendable {
    package private(set) var count = 0
    private let target: SQL
    private let columns: Int
    private var fields = 0
    private var encoder = PostgresEncoder()

    private static let signature = [UInt8]("PGCOPY\n".utf8) + [0xff] + [UInt8]("\r\n\0".utf8)
    /// What ends the rows.
    static let trailer: [UInt8] = [0xff, 0xff]

    /// - Parameters:
    ///   - target: the table, and in brackets its columns.
    ///   - columns: how many there are.
    package init(into target: SQL, columns: Int) {
        precondition(target.parameters.isEmpty, "COPY takes no parameters")
        self.target = target
        self.columns = columns
        encoder.append(Self.signature)
        // Neither flags nor an extension of the header.
        encoder.append(Int32(0))
        encoder.append(Int32(0))
        if let fault = target.arguments.fault { encoder.refuse(fault) }
    }

    var statement: String { "COPY \(target.text) FROM STDIN (FORMAT binary)" }
    var bytes: [UInt8] { encoder.bytes }
    var fault: PostgresRequestError? { encoder.fault }
    /// Whether each row has its fields, but for what was refused.
    var isComplete: Bool { fields == count * columns || fault != nil }

    package mutating func beginRow() {
        precondition(isComplete, "each row has a field for each column")
        encoder.append(Int16(clamping: columns))
        count += 1
    }

    package mutating func append(_ value: Int32?) {
        guard let value else { return appendNull() }
        fields += 1
        encoder.append(Int64(4) << 32 | Int64(UInt32(bitPattern: value)))
    }

    package mutating func append(_ value: Int64?) {
        guard let value else { return appendNull() }
        fields += 1
        // Each field in one piece with its length.
        let halves = (UInt32(truncatingIfNeeded: value >> 32).bigEndian, UInt32(truncatingIfNeeded: value).bigEndian)
        withUnsafeBytes(of: (UInt32(8).bigEndian, halves)) { encoder.append(raw: $0) }
    }

    package mutating func append(_ value: UUID?) {
        guard let value else { return appendNull() }
        fields += 1
        withUnsafeBytes(of: (UInt32(16).bigEndian, value.uuid)) { encoder.append(raw: $0) }
    }

    package mutating func append(_ value: Date?) {
        guard let value else { return appendNull() }
        guard let microseconds = value.postgresMicroseconds else { return encoder.refuse(.dateOutOfRange) }
        append(microseconds)
    }

    package mutating func append(_ value: String?) {
        guard let value else { return appendNull() }
        fields += 1
        encoder.append(Int32(clamping: value.utf8.count))
        encoder.append(text: value)
    }

    private mutating func appendNull() {
        fields += 1
        encoder.append(Int32(-1))
    }
}

extension CopyRows: CustomStringConvertible, CustomReflectable {
    /// No values: they never reach a log.
    package var description: String { "\(count) rows for \(target)" }
    package var customMirror: Mirror { Mirror(self, children: ["rows": count]) }
}
