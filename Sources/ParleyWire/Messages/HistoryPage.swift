/// A piece of a history, ascending by `seq`.
public struct HistoryPage: Codable, Hashable, Sendable {
    public var items: [Message]
    public var page: PageInfo
    /// Everyone named; left out inside a snapshot, which has its own.
    public var users: [WireID: UserSummary]?

    public init(items: [Message], page: PageInfo, users: [WireID: UserSummary]? = nil) {
        self.items = items
        self.page = page
        self.users = users
    }
}
