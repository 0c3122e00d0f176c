import Synchronization

/// When mails were last added and searched for here, so that they are searched for seldom where nobody adds any.
final class OutboxActivity: Sendable {
    /// The transaction that adds a mail is over by then.
    private static let adding = Duration.seconds(30)
    /// What is to be tried again, or was left by others, waits so long at most.
    private static let longestRest = Duration.seconds(10)

    private struct State {
        var addedAt: ContinuousClock.Instant?
        var searchedAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func noteAddition() {
        state.withLock { $0.addedAt = .now }
    }

    /// Begins a search for mails, where one is due.
    ///
    /// - Parameter mayRest: whether no other process adds mails, as far as this one knows.
    func beginSearch(mayRest: Bool) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            let isAdding = state.addedAt.map { now - $0 < Self.adding } ?? false
            let isRested = state.searchedAt.map { now - $0 >= Self.longestRest } ?? true
            guard isAdding || isRested || !mayRest else { return false }
            state.searchedAt = now
            return true
        }
    }
}
