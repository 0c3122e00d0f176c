/// How a caller stands with one rate limit.
public struct RateLimitStatus: Codable, Hashable, Sendable {
    public var policy: String
    /// How many requests pass at once, and again in each window.
    public var quota: Int
    public var windowSeconds: Int
    /// How many would pass now.
    public var remaining: Int
    /// When the whole quota is there again.
    public var resetSeconds: Int

    public init(policy: String, quota: Int, windowSeconds: Int, remaining: Int, resetSeconds: Int) {
        self.policy = policy
        self.quota = quota
        self.windowSeconds = windowSeconds
        self.remaining = remaining
        self.resetSeconds = resetSeconds
    }
}
