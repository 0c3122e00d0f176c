package import EventSourcing
import EventStore
import Postgres

/// Why a partition of the read models stands still.
package struct PartitionFault: Sendable, Equatable {
    package enum Cause: Sendable, Equatable {
        /// The next event is of a newer program: nothing is wrong, and this program must not pass it.
        case newer(UnknownEvent)
        /// The kind of an error, or its SQLSTATE; nothing of anybody's content.
        case failure(String)
    }

    package let partition: Int
    /// The first event that the read models do not hold.
    package let position: Int64
    package let cause: Cause

    init(partition: Int, position: Int64, cause: Cause) {
        self.partition = partition
        self.position = position
        self.cause = cause
    }

    init(partition: Int, position: Int64, error: any Error) {
        let cause: Cause =
            if case ProjectionError.newerEvent(_, _, let event) = error { .newer(event) } else { .failure(kind(error)) }
        self.init(partition: partition, position: position, cause: cause)
    }

    package var isNewer: Bool {
        if case .newer = cause { true } else { false }
    }

    /// Throws on what no partition is to blame for.
    static func refuseGeneral(_ error: any Error) throws {
        switch error {
        case is CancellationError, is PostgresConnectionError, is EpochEnded: throw error
        case let error as PostgresError where error.concernsAll: throw error
        default: return
        }
    }

    var reason: String {
        switch cause {
        case .newer(let event): event.description
        case .failure(let kind): kind
        }
    }
}

extension PartitionFault: CustomStringConvertible {
    package var description: String { "partition \(partition) stands before position \(position): \(reason)" }
}

/// What may be stored and shown of an error: never its words, which may quote what people wrote, unless they are known to
/// name nothing but places in the log.
private func kind(_ error: any Error) -> String {
    switch error {
    case let error as PostgresError:
        (["SQLSTATE \(error.sqlState)"] + [error.constraint].compactMap { $0 }).joined(separator: ", ")
    case let error as LogError: error.description
    case let error as ProjectionError: error.description
    default: String(reflecting: type(of: error))
    }
}

extension PostgresError {
    /// Whether it says something of the database and not of what was asked of it: it is stopping, out of something, a
    /// standby, or has not got these tables.
    fileprivate var concernsAll: Bool {
        ["08", "42", "53", "57P"].contains { sqlState.isClass($0) } || sqlState == .readOnlyTransaction
    }
}
