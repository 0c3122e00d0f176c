/// The time that presence and typing go by, and when to look what is due; tests turn it by hand.
package struct LiveClock: Sendable {
    /// How often it is looked what is due.
    static let tick: Duration = .milliseconds(250)

    let now: @Sendable () -> PresenceBoard.Moment
    /// Returns when it is time to look again, or the task is cancelled.
    let wait: @Sendable () async -> Void

    init(now: @escaping @Sendable () -> PresenceBoard.Moment, wait: @escaping @Sendable () async -> Void) {
        self.now = now
        self.wait = wait
    }

    /// The clock of the machine.
    package init() {
        self.init(now: { .now }, wait: { try? await Task.sleep(for: Self.tick) })
    }
}
