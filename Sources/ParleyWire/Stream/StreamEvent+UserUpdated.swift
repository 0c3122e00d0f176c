extension StreamEvent {
    /// A person with whom the caller shares a conversation changed.
    public struct UserUpdated: Codable, Hashable, Sendable {
        public var user: User

        public init(user: User) {
            self.user = user
        }
    }
}
