public import Foundation

/// A device that is signed in.
public struct SessionInfo: Codable, Hashable, Sendable {
    public var id: WireID
    @Nullable public var deviceName: String?
    public var createdAt: Date

    public init(id: WireID, deviceName: String? = nil, createdAt: Date) {
        self.id = id
        self.deviceName = deviceName
        self.createdAt = createdAt
    }
}
