import DequeModule
import Identity
import ParleyWire
import Synchronization

/// Has a few reads of one caller worked on at once. The caller's others wait in their order, and so do not stand before what
/// anybody else asks for.
///
/// Without it, who asks for a few hundred large pages at once, as the limit for reads allows, keeps the database and the
/// threads to them until the last page is made; others' messages wait behind them for seconds.
package final class ReadTurns: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct Line {
        var free: Int
        /// In their order; also those who have left it, until their turn would come.
        var order: Deque<UInt64> = []
        var waiting: [UInt64: Waiter] = [:]

        mutating func next() -> Waiter? {
            while let number = order.popFirst() {
                if let waiter = waiting.removeValue(forKey: number) { return waiter }
            }
            return nil
        }
    }

    private struct State {
        /// By caller; nobody of whom nothing is worked on.
        var lines: [RateSubject: Line] = [:]
        var lastNumber: UInt64 = 0
    }

    private let permits: Int
    private let places: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - permits: how many reads of one caller are worked on at once.
    ///   - places: how many wait at most, those who have left included until their turn would come.
    package init(permits: Int, places: Int) {
        self.permits = permits
        self.places = places
    }

    var isUnused: Bool { state.withLock { $0.lines.isEmpty } }

    func waiting(of caller: RateSubject) -> Int {
        state.withLock { $0.lines[caller]?.waiting.count ?? 0 }
    }

    /// Waits for the caller's turn, and has it while `body` runs. Cancelling the task ends the waiting.
    ///
    /// - Throws: `overloaded` where too many of the caller's wait already.
    func pass<Result>(of caller: RateSubject, _ body: () async throws -> Result) async throws -> Result {
        try await enter(caller)
        defer { leave(caller) }
        return try await body()
    }

    private func enter(_ caller: RateSubject) async throws {
        let number = state.withLock { state -> UInt64? in
            var line = state.lines[caller] ?? Line(free: permits)
            if line.free > 0 {
                line.free -= 1
                state.lines[caller] = line
                return nil
            }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // Under the lock: a cancellation that comes later finds the place.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    // A turn may have become free meanwhile.
                    if state.lines[caller, default: Line(free: permits)].free > 0 {
                        state.lines[caller, default: Line(free: permits)].free -= 1
                        return .success(())
                    }
                    guard state.lines[caller]?.order.count ?? 0 < places else {
                        return .failure(HTTPProblem(.overloaded, "Too many of your reads wait for each other."))
                    }
                    state.lines[caller]?.order.append(number)
                    state.lines[caller]?.waiting[number] = waiter
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.lines[caller]?.waiting.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func leave(_ caller: RateSubject) {
        let next = state.withLock { state -> Waiter? in
            if let next = state.lines[caller]?.next() { return next }
            let free = (state.lines[caller]?.free ?? 0) + 1
            if free < permits {
                state.lines[caller]?.free = free
            } else {
                state.lines[caller] = nil
            }
            return nil
        }
        next?.resume()
    }
}
