/// The server's refusal of a statement.
///
/// `message`, `detail` and `hint` can carry stored or sent values. They are here for code that needs them, and stay out of
/// `description`, so that logging the error leaks nothing.
package struct PostgresError: Error {
    package let sqlState: SQLState
    package let message: String
    package let detail: String?
    package let hint: String?
    package let schema: String?
    package let table: String?
    package let column: String?
    package let constraint: String?

    /// The text of the statement, without its parameters.
    package let statement: String
    /// Which statement of a `batch` failed, from 0.
    package let statementIndex: Int?

    package let file: StaticString
    package let line: UInt
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Classes whose messages name objects and conditions, never values: connection, feature, constraint, transaction
    /// state, cursor, authorization, conflicts, syntax and access, resources, limits, state, operator, system.
    private static let classesWithoutValues: Set<Substring> = [
        "08", "0A", "23", "25", "26", "28", "40", "42", "53", "54", "55", "57", "58",
    ]

    package var description: String {
        var parts = ["SQLSTATE \(sqlState)"]
        if Self.classesWithoutValues.contains(sqlState.rawValue.prefix(2)) { parts.append(message) }
        if let constraint { parts.append("constraint \(constraint)") }
        if let statementIndex { parts.append("statement \(statementIndex) of its batch") }
        return parts.joined(separator: ", ") + " at \(file):\(line)"
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
