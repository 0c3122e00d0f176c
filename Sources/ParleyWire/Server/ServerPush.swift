/// How this server reaches devices when nobody looks at them.
public struct ServerPush: Codable, Hashable, Sendable {
    /// The services that it sends to; a device on another is never told.
    public var providers: [DevicePlatform]
    /// The bundle identifiers of the apps that it reaches on Apple's devices.
    public var apps: [String]
    /// The server's public key, in base64url, as a browser wants it for `applicationServerKey`; where there is Web Push.
    public var webPushKey: String?

    public init(providers: [DevicePlatform] = [], apps: [String] = [], webPushKey: String? = nil) {
        self.providers = providers
        self.apps = apps
        self.webPushKey = webPushKey
    }
}
