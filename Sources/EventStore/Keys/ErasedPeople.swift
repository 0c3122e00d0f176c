import Foundation
import Synchronization

/// The people whom this process has seen being erased: nothing that it remembers of them is used any more.
///
/// Bounded: what it forgets again was long ago, and gone from the caches that it guards.
package final class ErasedPeople: Sendable {
    private let people = Mutex(TwoGenerationCache<UUID, Bool>(capacity: 200_000))

    package init() {}

    func insert(_ person: UUID) {
        people.withLock { $0.insert(true, for: person) }
    }

    func contains(_ person: UUID) -> Bool {
        people.withLock { $0.value(for: person) != nil }
    }
}
