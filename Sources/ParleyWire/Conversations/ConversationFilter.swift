/// The `filter` of `GET /v1/conversations`.
public struct ConversationFilter: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let unread = ConversationFilter(rawValue: "unread")
    public static let archived = ConversationFilter(rawValue: "archived")
    public static let groups = ConversationFilter(rawValue: "groups")
    public static let direct = ConversationFilter(rawValue: "direct")
    /// In the order of pinning, the latest first.
    public static let pinned = ConversationFilter(rawValue: "pinned")
    /// Those with unread messages that mention the caller.
    public static let mentions = ConversationFilter(rawValue: "mentions")
}
