/// The answer of `GET /v1/rate-limits`.
public struct RateLimitsAnswer: Codable, Hashable, Sendable {
    /// Empty where nothing is limited.
    public var items: [RateLimitStatus]

    public init(items: [RateLimitStatus]) {
        self.items = items
    }
}
