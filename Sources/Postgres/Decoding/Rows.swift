/// The rows of one statement; a statement that returns none has only `affected`.
package struct Rows: Sendable, RandomAccessCollection {
    private let result: QueryResult

    init(_ result: QueryResult) {
        self.result = result
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { result.rowCount }

    package subscript(position: Int) -> Row {
        precondition(position >= 0 && position < result.rowCount, "a row beyond the result's last")
        return Row(result: result, index: position)
    }

    /// How many rows the statement inserted, updated, deleted or returned.
    package var affected: Int {
        result.affectedRows
    }
}
