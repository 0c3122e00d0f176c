import CLibPQ
import Foundation
import Synchronization

/// Owns one PGresult.
final class QueryResult: Sendable {
    // Unsafe, because the compiler trusts no pointer of C. Any threads may read it at once (libpq, "Behavior in Threaded
    // Programs"); `deinit` frees it when nobody does any more.
    nonisolated(unsafe) private let pointer: OpaquePointer  // SAFETY: a PGresult does not change any more.
    let rowCount: Int
    let columnCount: Int
    /// Where the search for a name begins: after the column that was found last.
    private let searchStart = Atomic<Int>(0)

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

    /// The column of that exact name. Nearly all rows are read in the order of their columns, so that the first comparison
    /// finds it.
    func columnIndex(_ name: String) -> Int? {
        let start = searchStart.load(ordering: .relaxed)
        let found: Int? = name.withCString { expected in
            func isNamed(_ column: Int) -> Bool {
                PQfname(pointer, Int32(column)).map { strcmp($0, expected) == 0 } ?? false
            }
            return (start..<columnCount).first(where: isNamed) ?? (0..<start).first(where: isNamed)
        }
        if let found { searchStart.store(found + 1, ordering: .relaxed) }
        return found
    }

    func decode<T: PostgresDecodable>(row: Int, column: Int, as type: T.Type) throws -> T {
        let (row, column) = (Int32(row), Int32(column))
        let length = Int(PQgetlength(pointer, row, column))
        // What has a length is not NULL, which need not be asked for then.
        if length == 0, PQgetisnull(pointer, row, column) != 0 { return try T.decodeNull() }
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(pointer, row, column), count: length)
        return try T.decode(bytes, oid: PQftype(pointer, column))
    }
}
