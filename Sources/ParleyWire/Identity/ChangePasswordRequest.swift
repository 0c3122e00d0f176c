/// `POST /v1/auth/password/change`.
public struct ChangePasswordRequest: Codable, Hashable, Sendable {
    public var currentPassword: String
    public var newPassword: String

    public init(currentPassword: String, newPassword: String) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }
}
