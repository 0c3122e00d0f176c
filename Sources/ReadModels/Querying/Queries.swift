package import EventStore
package import Postgres

/// Answers from the read models, as ParleyWire types.
///
/// A query that answers with an optional answers nil where the caller may not know that the thing exists.
package struct Queries: Sendable {
    /// The most that a page holds, whatever is asked for.
    static let maximumLimit = 200

    let pool: PostgresPool
    let partitions: Int
    /// Opens drafts; without it there are none.
    let keyring: Keyring?

    /// - Parameter pool: connections with the server's role.
    package init(pool: PostgresPool, partitions: Int, keyring: Keyring? = nil) {
        self.pool = pool
        self.partitions = partitions
        self.keyring = keyring
    }

    static func clamped(_ limit: Int) -> Int {
        min(max(limit, 1), maximumLimit)
    }
}
