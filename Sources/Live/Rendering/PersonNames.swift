import EventStore
import Foundation
import ParleyWire
import Synchronization

/// How people are called, remembered for those who write much.
final class PersonNames: Sendable {
    private struct State {
        var known = TwoGenerationCache<UUID, UserSummary>(capacity: 20_000)
        /// Rises with every change of anybody's name.
        var changes = 0
    }

    private let state = Mutex(State())

    /// - Parameter read: asks the read models; nil where they do not know the person (yet).
    func summary(of person: UUID, read: () async throws -> UserSummary?) async throws -> UserSummary? {
        let (known, changes) = state.withLock { ($0.known.value(for: person), $0.changes) }
        if let known { return known }
        guard let found = try await read() else { return nil }
        state.withLock { state in
            // What was read before a change must not outlive it.
            if state.changes == changes { state.known.insert(found, for: person) }
        }
        return found
    }

    func changed(_ person: UUID) {
        state.withLock { state in
            state.changes += 1
            state.known.remove(person)
        }
    }
}
