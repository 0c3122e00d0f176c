public import Foundation

/// A device that is told of messages when nobody looks, as `GET /v1/devices` lists it: without its address.
public struct Device: Codable, Hashable, Sendable {
    /// Made by the app, one for each installation.
    public var id: WireID
    /// The session that it goes with.
    public var sessionId: WireID
    public var platform: DevicePlatform
    /// The app's topic at APNs.
    @Nullable public var app: String?
    public var environment: DeviceEnvironment
    public var preview: DevicePreview
    /// The language of what the server says by itself: a BCP 47 tag.
    @Nullable public var locale: String?
    public var createdAt: Date
    /// When the app last said that the address is its own. After 30 days without a word the device is forgotten.
    public var renewedAt: Date

    public init(
        id: WireID,
        sessionId: WireID,
        platform: DevicePlatform,
        app: String?,
        environment: DeviceEnvironment,
        preview: DevicePreview,
        locale: String?,
        createdAt: Date,
        renewedAt: Date
    ) {
        self.id = id
        self.sessionId = sessionId
        self.platform = platform
        self.app = app
        self.environment = environment
        self.preview = preview
        self.locale = locale
        self.createdAt = createdAt
        self.renewedAt = renewedAt
    }
}
