/// All reactions of one kind to a message.
public struct Reaction: Codable, Hashable, Sendable {
    public var emoji: String
    public var count: Int
    /// Whether the caller is among them.
    public var mine: Bool
    /// The first 50 who gave it.
    public var userIds: [WireID]

    public init(emoji: String, count: Int, mine: Bool, userIds: [WireID]) {
        self.emoji = emoji
        self.count = count
        self.mine = mine
        self.userIds = userIds
    }
}
