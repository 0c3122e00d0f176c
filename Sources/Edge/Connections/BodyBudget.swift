import Identity
import Synchronization

/// How much memory the bodies that come in may take: all of them together, and those of one caller.
///
/// Nobody may take more than a quarter, so that the others find room; but everybody one whole body.
package final class BodyBudget: Sendable {
    enum Refusal: Error {
        case all
        case caller
    }

    private let all: MemoryBudget
    private let share: Int
    /// By caller; nobody who holds nothing.
    private let held = Mutex<[RateSubject: Int]>([:])

    package init(limit: Int) {
        all = MemoryBudget(limit: limit)
        share = max(limit / 4, BodyRule.fields.maxBytes)
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
            let now = held[caller, default: 0] + bytes
            guard now <= share else { return false }
            held[caller] = now
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
}
