package import EventStore
package import Postgres

/// Answers from the read models, as ParleyWire types.
///
/// A query that answers with an optional answers nil where the caller may not know that the thing exists.
package struct Queries: Sendable {
    /// The most that a page holds, whatever is asked for.
    static let maximumLimit = 200

    /// About the most that one answer holds, in bytes, however many items are asked for: what does not fit is left to the
    /// next page. Written as JSON, text full of control characters takes up to six times that.
    package static let standardAnswerBytes = 2 << 20

    let pool: PostgresPool
    let partitions: Int
    /// Opens drafts; without it there are none.
    let keyring: Keyring?
    package let answerBytes: Int
    /// What words are searched as.
    let searchLanguage: SearchLanguage
    /// Nil for whichever takes less, in each search.
    var searchRoute: SearchRoute?

    /// - Parameter pool: connections with the server's role.
    package init(
        pool: PostgresPool,
        partitions: Int,
        keyring: Keyring? = nil,
        answerBytes: Int = Queries.standardAnswerBytes,
        searchLanguage: SearchLanguage = .simple
    ) {
        self.pool = pool
        self.partitions = partitions
        self.keyring = keyring
        self.answerBytes = answerBytes
        self.searchLanguage = searchLanguage
    }

    static func clamped(_ limit: Int) -> Int {
        min(max(limit, 1), maximumLimit)
    }
}
