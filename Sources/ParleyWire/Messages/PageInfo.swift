/// Where a piece of history stands.
public struct PageInfo: Codable, Hashable, Sendable {
    @Nullable public var olderCursor: String?
    @Nullable public var newerCursor: String?
    public var hasOlder: Bool
    public var hasNewer: Bool

    public init(olderCursor: String?, newerCursor: String?, hasOlder: Bool, hasNewer: Bool) {
        self.olderCursor = olderCursor
        self.newerCursor = newerCursor
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
    }
}
