/// All reactions of one kind to a message.
public struct Reaction: Codable, Hashable, Sendable {
    public var emoji: String
    public var count: Int
    public var me: Bool
    public var userIds: [WireID]

    public init(emoji: String, count: Int, me: Bool, userIds: [WireID]) {
        self.emoji = emoji
        self.count = count
        self.me = me
        self.userIds = userIds
    }
}
