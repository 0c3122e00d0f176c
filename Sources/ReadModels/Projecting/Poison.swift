import Postgres

/// Tells errors that an event causes, whenever it is tried, from those that pass.
enum Poison {
    /// What to remember of an error that is the event's own: a SQLSTATE and a constraint, never a value; else nil.
    static func cause(of error: any Error) -> String? {
        switch error {
        case let error as PostgresError where error.sqlState.isClass("22") || error.sqlState.isClass("23"):
            [error.sqlState.rawValue, error.constraint].compactMap { $0 }.joined(separator: " ")
        case PostgresRequestError.containsNUL: "NUL"
        case PostgresRequestError.dateOutOfRange: "date out of range"
        // Too much for one statement; half of it may not be.
        case PostgresRequestError.tooLarge: "too large"
        default: nil
        }
    }
}
