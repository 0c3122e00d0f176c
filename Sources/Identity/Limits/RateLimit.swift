/// So many requests at once, and as many again in each window, evenly: a bucket of `quota` tokens that fills up in `window`.
package struct RateLimit: Sendable, Hashable {
    package let quota: Int
    package let window: Duration

    /// - Parameters:
    ///   - quota: at least 1; what is less counts as 1.
    ///   - window: at least a second; what is less counts as one.
    package init(_ quota: Int, per window: Duration) {
        self.quota = max(1, quota)
        self.window = max(.seconds(1), window)
    }

    /// The time in which one request's worth comes back.
    var interval: Duration { window / quota }
}

extension RateLimit: CustomStringConvertible {
    /// As an operator writes it, such as `50/5s` or `20/1h`.
    package var description: String {
        let seconds = window.components.seconds
        if seconds % 3_600 == 0 { return "\(quota)/\(seconds / 3_600)h" }
        return seconds % 60 == 0 ? "\(quota)/\(seconds / 60)min" : "\(quota)/\(seconds)s"
    }
}
