/// The answer to a registration or a login with `"session": "cookie"`: what tokens are in a ``Session`` is in the cookie.
public struct CookieSession: Codable, Hashable, Sendable {
    public var user: User
    public var session: SessionInfo

    public init(user: User, session: SessionInfo) {
        self.user = user
        self.session = session
    }
}
