/// An issuer that people can sign in with, beside a password.
public struct SignInProvider: Codable, Hashable, Sendable {
    /// What its routes are called by.
    public var provider: String
    /// What people read.
    public var name: String

    public init(provider: String, name: String) {
        self.provider = provider
        self.name = name
    }
}
