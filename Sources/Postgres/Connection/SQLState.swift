/// The five characters with which PostgreSQL classifies an error.
package struct SQLState: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the error belongs to a class, which the first two characters name: `23` integrity constraint.
    package func isClass(_ prefix: String) -> Bool {
        rawValue.hasPrefix(prefix)
    }

    package static let featureNotSupported = SQLState(rawValue: "0A000")
    package static let dataException = SQLState(rawValue: "22000")
    package static let integrityConstraintViolation = SQLState(rawValue: "23000")
    package static let notNullViolation = SQLState(rawValue: "23502")
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    package static let uniqueViolation = SQLState(rawValue: "23505")
    package static let checkViolation = SQLState(rawValue: "23514")
    package static let exclusionViolation = SQLState(rawValue: "23P01")
    package static let inFailedTransaction = SQLState(rawValue: "25P02")
    package static let readOnlyTransaction = SQLState(rawValue: "25006")
    package static let invalidStatementName = SQLState(rawValue: "26000")
    package static let serializationFailure = SQLState(rawValue: "40001")
    package static let deadlockDetected = SQLState(rawValue: "40P01")
    package static let insufficientPrivilege = SQLState(rawValue: "42501")
    package static let syntaxError = SQLState(rawValue: "42601")
    package static let undefinedTable = SQLState(rawValue: "42P01")
    package static let undefinedColumn = SQLState(rawValue: "42703")
    package static let undefinedFunction = SQLState(rawValue: "42883")
    package static let duplicateDatabase = SQLState(rawValue: "42P04")
    package static let duplicateObject = SQLState(rawValue: "42710")
    package static let duplicateTable = SQLState(rawValue: "42P07")
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    package static let queryCanceled = SQLState(rawValue: "57014")
    package static let raiseException = SQLState(rawValue: "P0001")
}

extension SQLState: CustomStringConvertible {
    package var description: String { rawValue }
}
