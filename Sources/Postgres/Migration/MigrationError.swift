/// Why the migrations cannot be applied; nothing has been changed then, beyond those applied before.
package enum MigrationError: Error, Hashable, CustomStringConvertible {
    /// The name is not `NNNN_name.sql`, or its number is there twice.
    case invalidName(String)
    /// The file was changed after it was applied.
    case checksumMismatch(String)
    /// The file is older than one that has been applied; migrations only go forward.
    case outOfOrder(String)
    /// The database has migrations that this program does not know: a newer version has been here.
    case newerDatabase([String])
    /// The file begins or ends a transaction itself.
    case controlsTransaction(String)

    package var description: String {
        switch self {
        case .invalidName(let name): "migration \(name) is not named NNNN_name.sql with a number of its own"
        case .checksumMismatch(let name): "migration \(name) was changed after it was applied"
        case .outOfOrder(let name): "migration \(name) is older than one that has been applied"
        case .newerDatabase(let names):
            "the database is of a newer version, which has applied \(names.joined(separator: ", ")): run that version, or a "
                + "newer one; the way back is a backup from before the upgrade"
        case .controlsTransaction(let name): "migration \(name) must not begin or end a transaction"
        }
    }
}
