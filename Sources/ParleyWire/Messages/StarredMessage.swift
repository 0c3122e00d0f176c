public import Foundation

/// A message that the caller has starred.
public struct StarredMessage: Codable, Hashable, Sendable {
    public var message: Message
    public var starredAt: Date

    public init(message: Message, starredAt: Date) {
        self.message = message
        self.starredAt = starredAt
    }
}
