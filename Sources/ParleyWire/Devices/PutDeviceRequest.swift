/// `PUT /v1/devices/{id}`: where this installation of the app is reached. One of `token`, `fid` and `subscription`, as the
/// platform has it.
public struct PutDeviceRequest: Codable, Hashable, Sendable {
    public var platform: DevicePlatform
    /// APNs' device token in hexadecimal, or Firebase's registration token.
    public var token: String?
    /// A Firebase installation ID, in place of `token`.
    public var fid: String?
    public var subscription: PushSubscription?
    /// The app's topic; APNs needs it.
    public var app: String?
    public var environment: DeviceEnvironment?
    public var preview: DevicePreview?
    public var locale: String?

    public init(
        platform: DevicePlatform,
        token: String? = nil,
        fid: String? = nil,
        subscription: PushSubscription? = nil,
        app: String? = nil,
        environment: DeviceEnvironment? = nil,
        preview: DevicePreview? = nil,
        locale: String? = nil
    ) {
        self.platform = platform
        self.token = token
        self.fid = fid
        self.subscription = subscription
        self.app = app
        self.environment = environment
        self.preview = preview
        self.locale = locale
    }
}

/// What a browser's `PushSubscription.toJSON()` gives.
public struct PushSubscription: Codable, Hashable, Sendable {
    public var endpoint: String
    public var keys: Keys

    public struct Keys: Codable, Hashable, Sendable {
        /// 65 bytes in base64url: an uncompressed point of P-256.
        public var p256dh: String
        /// 16 bytes in base64url.
        public var auth: String

        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }
    }

    public init(endpoint: String, keys: Keys) {
        self.endpoint = endpoint
        self.keys = keys
    }
}
