import Identity
import Synchronization

/// How much memory something may take, bodies that come in or answers that go out: all of it together, and that of one
/// caller.
///
/// Nobody may take more than a quarter, so that the others find room; but everybody one thing, whatever its size.
package final class CallerBudget: Sendable {
    enum Refusal: Error {
        case all
        case caller
    }

    private let all: MemoryBudget
    private let share: Int
    /// By caller; nobody who holds nothing.
    private let held = Mutex<[RateSubject: Int]>([:])

    /// - Parameters:
    ///   - limit: bytes.
    ///   - leastShare: bytes that one caller may take where a quarter is less.
    package init(limit: Int, leastShare: Int = 0) {
        all = MemoryBudget(limit: limit)
        share = max(limit / 4, leastShare)
    }

    var isUnused: Bool { all.isUnused && held.withLock { $0.isEmpty } }

    /// - Parameter caller: nil while it is not known who asks.
    func take(_ bytes: Int, for caller: RateSubject?) throws(Refusal) {
        guard bytes > 0 else { return }
        guard all.take(bytes) else { throw .all }
        guard let caller else { return }
        do {
            try charge(bytes, to: caller)
        } catch {
            all.give(bytes)
            throw error
        }
    }

    /// Counts for a caller what was taken before it was known who asks.
    func charge(_ bytes: Int, to caller: RateSubject) throws(Refusal) {
        guard bytes > 0 else { return }
        let isTaken = held.withLock { held in
            let before = held[caller, default: 0]
            guard before == 0 || before + bytes <= share else { return false }
            held[caller] = before + bytes
            return true
        }
        guard isTaken else { throw .caller }
    }

    func give(_ bytes: Int, of caller: RateSubject?) {
        guard bytes > 0 else { return }
        all.give(bytes)
        guard let caller else { return }
        held.withLock { held in
            let rest = held[caller, default: 0] - bytes
            held[caller] = rest > 0 ? rest : nil
        }
    }

    /// Takes a part that is given back when nobody holds it any more.
    func part(_ bytes: Int, for caller: RateSubject) throws(Refusal) -> Part {
        try take(bytes, for: caller)
        return Part(self, bytes, caller)
    }

    package final class Part: Sendable {
        private let budget: CallerBudget
        private let bytes: Int
        private let caller: RateSubject

        fileprivate init(_ budget: CallerBudget, _ bytes: Int, _ caller: RateSubject) {
            self.budget = budget
            self.bytes = bytes
            self.caller = caller
        }

        deinit {
            budget.give(bytes, of: caller)
        }
    }
}
