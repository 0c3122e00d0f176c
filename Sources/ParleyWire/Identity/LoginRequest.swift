/// `POST /v1/auth/login`.
public struct LoginRequest: Codable, Hashable, Sendable {
    public var email: String
    public var password: String
    public var deviceName: String?

    public init(email: String, password: String, deviceName: String? = nil) {
        self.email = email
        self.password = password
        self.deviceName = deviceName
    }
}
