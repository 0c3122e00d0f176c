/// A column that is not what the code expects; it names the column and the types, never the value.
package struct PostgresDecodingError: Error, Hashable {
    package enum Reason: Sendable, Hashable {
        case null
        case noSuchColumn
        /// The column's type, by its id in `pg_type`.
        case typeMismatch(UInt32)
        case outOfRange
        case malformed
    }

    package internal(set) var column: String?
    package let type: String
    package let reason: Reason

    package init<T>(_ type: T.Type, _ reason: Reason) {
        self.type = String(describing: type)
        self.reason = reason
    }
}

extension PostgresDecodingError: CustomStringConvertible {
    package var description: String {
        "cannot decode column \(column ?? "?") as \(type): \(reason)"
    }
}
