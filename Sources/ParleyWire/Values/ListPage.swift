/// A page of a list; `nextCursor` is null on the last one.
public struct ListPage<Item: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    public var items: [Item]
    @Nullable public var nextCursor: String?
    /// In pages of conversations: everyone they name.
    public var users: [WireID: UserSummary]?

    public init(items: [Item], nextCursor: String?, users: [WireID: UserSummary]? = nil) {
        self.items = items
        self.nextCursor = nextCursor
        self.users = users
    }
}
