import Foundation

/// The ids of bots: of version 8 (RFC 9562 §5.8) where those of people are of version 7, and else alike. So whoever has an id
/// knows whether it is a bot's.
enum BotID {
    static func make(at time: Date) -> UUID {
        var id = TimeOrderedID.make(at: time).uuid
        id.6 = id.6 & 0x0f | 0x80
        return UUID(uuid: id)
    }
}
