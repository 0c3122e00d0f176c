import Foundation

extension WireID {
    /// Whether it is the id of a bot, where it is the id of somebody: the server makes bots' ids of version 8, and everybody
    /// else's of version 7.
    package var isBot: Bool { uuid.uuid.6 >> 4 == 8 }
}
