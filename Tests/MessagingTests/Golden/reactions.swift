import Messaging

extension GoldenEvent {
    static let reactionAdded = [
        GoldenEvent(
            "reactionAdded",
            1,
            "the second of its kind, beside another",
            payload: "{\"counts\":{\"\u{2764}\u{FE0F}\":1,\"\u{1F44D}\":2},\"emoji\":\"\u{1F44D}\",\"seq\":12}",
            reads: ConversationEvent.reactionAdded(changed("\u{1F44D}", ["\u{2764}\u{FE0F}": 1, "\u{1F44D}": 2]))
        )
    ]

    static let reactionRemoved = [
        GoldenEvent(
            "reactionRemoved",
            1,
            "the last one",
            payload: "{\"counts\":{},\"emoji\":\"\u{1F44D}\",\"seq\":12}",
            reads: ConversationEvent.reactionRemoved(changed("\u{1F44D}", [:]))
        )
    ]

    private static func changed(_ emoji: String, _ counts: [String: Int]) -> ReactionChanged {
        guard let emoji = Emoji(emoji) else { preconditionFailure("the samples are emoji") }
        return ReactionChanged(
            messageID: person(49),
            seq: 12,
            person: ada,
            emoji: emoji,
            counts: Dictionary(
                uniqueKeysWithValues: counts.compactMap { text, count in Emoji(text).map { ($0, count) } }
            )
        )
    }
}
