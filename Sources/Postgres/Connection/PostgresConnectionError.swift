/// Why a statement reached no server, or no answer came back.
package enum PostgresConnectionError: Error, Hashable {
    /// What libpq or the server said; it names host and user, never the password.
    case connectFailed(String)
    /// The outcome of what was in flight is unknown.
    case connectionLost
    /// No connection came free in time, or too many callers wait for one already.
    case poolExhausted
    /// Too many statements wait on this connection.
    case queueFull
    case closed
}

extension PostgresConnectionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connectFailed(let reason): "cannot connect to PostgreSQL: \(reason)"
        case .connectionLost: "the connection to PostgreSQL was lost"
        case .poolExhausted: "no connection to PostgreSQL is free"
        case .queueFull: "too many statements wait on one connection to PostgreSQL"
        case .closed: "the connection to PostgreSQL is closed"
        }
    }
}
