public import Foundation

/// A device that is signed in, as `GET /v1/sessions` lists it.
public struct ListedSession: Codable, Hashable, Sendable {
    public var id: WireID
    @Nullable public var deviceName: String?
    public var createdAt: Date
    /// When it was last used, to the minute.
    public var lastSeenAt: Date
    /// Whether it is the one that asks.
    public var current: Bool
    /// By what it is held: a browser's by a cookie. Servers from before browsers had any do not say.
    public var kind: SessionKind?

    public init(
        id: WireID,
        deviceName: String? = nil,
        createdAt: Date,
        lastSeenAt: Date,
        current: Bool,
        kind: SessionKind? = nil
    ) {
        self.id = id
        self.deviceName = deviceName
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.current = current
        self.kind = kind
    }
}
