import Synchronization

/// How much memory something may take in the whole process: bodies that come in, or answers that go out.
package final class MemoryBudget: Sendable {
    private let limit: Int
    private let taken = Atomic(0)

    package init(limit: Int) {
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

    /// Takes a part that is given back when nobody holds it any more; nil where there is not so much left.
    func share(_ bytes: Int) -> Share? {
        take(bytes) ? Share(self, bytes) : nil
    }

    final class Share: Sendable {
        private let budget: MemoryBudget
        private let bytes: Int

        fileprivate init(_ budget: MemoryBudget, _ bytes: Int) {
            self.budget = budget
            self.bytes = bytes
        }

        deinit {
            budget.give(bytes)
        }
    }
}
