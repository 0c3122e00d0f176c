public import Foundation

/// The answer to a registration, a login or a refresh.
public struct Session: Codable, Hashable, Sendable {
    public var user: User
    public var session: SessionInfo
    public var accessToken: String
    public var accessTokenExpiresAt: Date
    /// Good for one refresh.
    public var refreshToken: String

    public init(
        user: User,
        session: SessionInfo,
        accessToken: String,
        accessTokenExpiresAt: Date,
        refreshToken: String
    ) {
        self.user = user
        self.session = session
        self.accessToken = accessToken
        self.accessTokenExpiresAt = accessTokenExpiresAt
        self.refreshToken = refreshToken
    }
}
