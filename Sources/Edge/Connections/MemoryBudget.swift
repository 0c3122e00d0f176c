import Synchronization

/// How much memory something may take in the whole process.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let taken = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    var isUnused: Bool { taken.load(ordering: .relaxed) == 0 }

    /// - Returns: false where there is not so much left; then nothing was taken.
    func take(_ bytes: Int) -> Bool {
        let (_, now) = taken.wrappingAdd(bytes, ordering: .relaxed)
        guard now > limit else { return true }
        give(bytes)
        return false
    }

    func give(_ bytes: Int) {
        taken.wrappingSubtract(bytes, ordering: .relaxed)
    }
}
