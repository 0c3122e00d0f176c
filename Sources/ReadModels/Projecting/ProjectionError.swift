/// What must not happen while projecting.
package enum ProjectionError: Error, Equatable, CustomStringConvertible {
    /// The events that came are not those that follow the checkpoint.
    case notContiguous(partition: Int, expected: Int64, found: Int64)

    package var description: String {
        switch self {
        case .notContiguous(let partition, let expected, let found):
            "partition \(partition) went on with position \(found) where \(expected) should be"
        }
    }
}
