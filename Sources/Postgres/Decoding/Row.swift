/// One row of a result.
package struct Row: Sendable {
    let result: QueryResult
    let index: Int

    /// Reads a column by name; NULL decodes only into an optional.
    package func decode<T: PostgresDecodable>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let columnIndex = result.columnIndex(column) else {
            var error = PostgresDecodingError(T.self, .noSuchColumn)
            error.column = column
            throw error
        }
        return try decode(columnIndex)
    }

    /// Reads a column by its place, from 0.
    package func decode<T: PostgresDecodable>(_ column: Int, as type: T.Type = T.self) throws -> T {
        guard column >= 0, column < result.columnCount else { throw PostgresDecodingError(T.self, .noSuchColumn) }
        do {
            return try result.decode(row: index, column: column, as: T.self)
        } catch var error as PostgresDecodingError {
            error.column = error.column ?? result.columnName(column)
            throw error
        }
    }
}
