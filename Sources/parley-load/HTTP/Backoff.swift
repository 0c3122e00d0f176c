/// How long to wait before trying again, and when to stop trying.
struct Backoff {
    private let giveUp: ContinuousClock.Instant
    private var delay = Duration.milliseconds(50)

    init(patience: Duration) {
        giveUp = .now + patience
    }

    var isExhausted: Bool { ContinuousClock.now >= giveUp }

    /// Waits: at least as long as the server asked, longer each time, and with a part left to chance.
    mutating func wait(atLeast: Duration = .zero) async throws {
        let jittered = delay * Double.random(in: 0.5...1)
        delay = min(delay * 2, .seconds(2))
        try await Task.sleep(for: max(jittered, atLeast))
    }
}
