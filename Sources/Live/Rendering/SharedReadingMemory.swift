import EventStore
import Foundation
import Synchronization

/// Who is shown what others have read, remembered for those who write much, so that receipts cost no query.
final class SharedReadingMemory: Sendable {
    private struct State {
        var known = TwoGenerationCache<UUID, Bool>(capacity: 50_000)
        /// Rises with every change of anybody's settings.
        var changes = 0
    }

    private let state = Mutex(State())

    /// Those of these people who are not shown it.
    ///
    /// - Parameter read: asks the read models for those who are not among some people.
    func without(among people: Set<UUID>, read: (Set<UUID>) async throws -> Set<UUID>) async throws -> Set<UUID> {
        var without: Set<UUID> = []
        var unknown: Set<UUID> = []
        let changes = state.withLock { state in
            for person in people {
                guard let isShown = state.known.value(for: person) else {
                    unknown.insert(person)
                    continue
                }
                if !isShown { without.insert(person) }
            }
            return state.changes
        }
        guard !unknown.isEmpty else { return without }
        let found = try await read(unknown)
        state.withLock { state in
            // What was read before a change must not outlive it.
            guard state.changes == changes else { return }
            for person in unknown { state.known.insert(!found.contains(person), for: person) }
        }
        return without.union(found)
    }

    func changed(_ person: UUID) {
        state.withLock { state in
            state.changes += 1
            state.known.remove(person)
        }
    }
}
