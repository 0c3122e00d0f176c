import Foundation

/// When a message that was refused is tried again: after 5 s first, and for the last time 75 hours and 35 minutes later.
enum WebhookSchedule {
    private static let pauses: [Duration] = [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3_600), .seconds(5 * 3_600),
        .seconds(10 * 3_600),
        .seconds(14 * 3_600), .seconds(20 * 3_600), .seconds(24 * 3_600),
    ]
    /// Whoever was refused for less is not given up, though tries be used up: some come early, when others succeed.
    private static let patience: TimeInterval = 3 * 86_400

    /// How long to wait after a refusal; nil where it was the last one.
    ///
    /// - Parameters:
    ///   - attempts: this one included.
    ///   - chance: 0 to 1, so that what failed together does not come back together.
    static func pause(
        after attempts: Int,
        since begin: Date,
        at now: Date,
        chance: Double = .random(in: 0...1)
    ) -> Duration? {
        let place = attempts - 1
        if place < pauses.count { return pauses[max(0, place)] * (0.9 + 0.2 * chance) }
        let left = patience - now.timeIntervalSince(begin)
        return left > 0 ? min(.seconds(left + 1), pauses[pauses.count - 1]) : nil
    }
}
