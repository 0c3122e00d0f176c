/// A statement that is refused before it is sent, because PostgreSQL or this client cannot take it.
package enum PostgresRequestError: Error, Hashable, CustomStringConvertible {
    /// PostgreSQL's text cannot hold the character NUL.
    case containsNUL
    case dateOutOfRange
    /// Empty, or longer than PostgreSQL's 63 bytes.
    case invalidIdentifier
    case tooManyParameters(Int)
    /// The parameters together are larger than `maximumBytes`.
    case tooLarge
    /// A transaction is already open on this connection.
    case transactionInProgress
    /// A statement was COPY, which is no statement to the client; the connection that met it has been closed.
    case copyNotSupported

    /// The protocol counts parameters in 16 bits.
    static let maximumParameters = 65_535
    /// A guard for memory, far below the protocol's 1 GB.
    static let maximumBytes = 256 << 20

    package var description: String {
        switch self {
        case .containsNUL: "a text contains the character NUL, which PostgreSQL cannot store"
        case .dateOutOfRange: "a date is outside PostgreSQL's range"
        case .invalidIdentifier: "an identifier is empty, longer than 63 bytes or contains NUL"
        case .tooManyParameters(let count): "\(count) parameters are more than \(Self.maximumParameters)"
        case .tooLarge: "the parameters are larger than \(Self.maximumBytes) bytes"
        case .transactionInProgress: "a transaction is already open on this connection"
        case .copyNotSupported: "COPY is not supported as a statement"
        }
    }
}
