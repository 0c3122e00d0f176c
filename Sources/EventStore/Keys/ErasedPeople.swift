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

    /// Forgets everybody: in another epoch of the log an erasure may never have been. Who is erased there has no key.
    func removeAll() {
        people.withLock { $0.removeAll() }
    }

    func contains(_ person: UUID) -> Bool {
        people.withLock { $0.value(for: person) != nil }
    }
}
