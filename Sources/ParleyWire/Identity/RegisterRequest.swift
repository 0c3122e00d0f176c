/// `POST /v1/auth/register`.
public struct RegisterRequest: Codable, Hashable, Sendable {
    public var email: String
    public var password: String
    public var displayName: String?
    public var deviceName: String?

    public init(email: String, password: String, displayName: String? = nil, deviceName: String? = nil) {
        self.email = email
        self.password = password
        self.displayName = displayName
        self.deviceName = deviceName
    }
}
