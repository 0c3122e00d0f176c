import Synchronization

/// Whether a command may be in the log although nobody was told so. It outlasts epochs: the first try may have been
/// committed in one that ended before the answer, and be part of the log that is left.
final class CommandDoubt: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .relaxed) }

    func raise() {
        state.store(true, ordering: .relaxed)
    }
}
