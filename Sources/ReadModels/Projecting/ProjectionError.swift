package import EventSourcing

/// What must not happen while projecting, or cannot go on.
package enum ProjectionError: Error, Equatable, CustomStringConvertible {
    /// The events that came are not those that follow the checkpoint.
    case notContiguous(partition: Int, expected: Int64, found: Int64)
    /// A newer program wrote the next event; all that comes before it is written.
    case newerEvent(partition: Int, position: Int64, UnknownEvent)

    package var description: String {
        switch self {
        case .notContiguous(let partition, let expected, let found):
            "partition \(partition) went on with position \(found) where \(expected) should be"
        case .newerEvent(let partition, let position, let event):
            "the log holds events of a newer program: at partition \(partition), position \(position), \(event)"
        }
    }
}
