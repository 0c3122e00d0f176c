extension StreamEvent {
    /// The data of an event that says all by its name: `{}`.
    public struct Empty: Codable, Hashable, Sendable {
        public init() {}
    }
}
