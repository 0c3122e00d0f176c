import CLibPQ
import Foundation

/// Owns one PGresult.
final class QueryResult: Sendable {
    // Any threads may read it at once (libpq, "Behavior in Threaded Programs"); `deinit` frees it when nobody does any more.
    nonisolated(unsafe) private let pointer: OpaquePointer  // SAFETY: a PGresult does not change any more
    let rowCount: Int
    let columnCount: Int

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        rowCount = Int(PQntuples(pointer))
        columnCount = Int(PQnfields(pointer))
    }

    deinit {
        PQclear(pointer)
    }

    var affectedRows: Int {
        guard let text = PQcmdTuples(pointer) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    func columnName(_ column: Int) -> String? {
        PQfname(pointer, Int32(column)).map { String(cString: $0) }
    }

    /// The first column of that exact name; rows have few columns, so that comparing beats a dictionary per result.
    func columnIndex(_ name: String) -> Int? {
        name.withCString { expected in
            (0..<columnCount).first { PQfname(pointer, Int32($0)).map { strcmp($0, expected) == 0 } ?? false }
        }
    }

    func decode<T: PostgresDecodable>(row: Int, column: Int, as type: T.Type) throws -> T {
        let (row, column) = (Int32(row), Int32(column))
        guard PQgetisnull(pointer, row, column) == 0 else { return try T.decodeNull() }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column),
            count: Int(PQgetlength(pointer, row, column))
        )
        return try T.decode(bytes, oid: PQftype(pointer, column))
    }
}
