public import Foundation

/// Whether a person is there, and since when not.
public struct Presence: Codable, Hashable, Sendable {
    public var status: PresenceStatus
    @Nullable public var lastSeen: Date?

    public init(status: PresenceStatus, lastSeen: Date? = nil) {
        self.status = status
        self.lastSeen = lastSeen
    }
}
