import DequeModule
import Edge
package import Foundation
import HTTPTypes
import ParleyWire
import Synchronization

/// Lets so many through at once and the others wait in order, so that a storm of returning clients leaves the database
/// room for everything else.
///
/// Where too many wait already, or too many for the same person, those who have just come are sent away. Who has begun is let
/// through to the end: each of them waits in one place only.
package final class Turnstile: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var free: Int
        /// Places that are kept for those whose answers have not begun.
        var reserved = 0
        /// Newcomers who wait or have their turn; nobody who has none.
        var newcomers: [UUID: Int] = [:]
        /// In their order; also those who have left it, until their turn would come.
        var order: Deque<UInt64> = []
        var waiting: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0

        mutating func wait(_ waiter: Waiter, as number: UInt64) {
            order.append(number)
            waiting[number] = waiter
        }

        mutating func next() -> Waiter? {
            while let number = order.popFirst() {
                if let waiter = waiting.removeValue(forKey: number) { return waiter }
            }
            return nil
        }

        mutating func leave(_ number: UInt64) -> Waiter? {
            let waiter = waiting.removeValue(forKey: number)
            // So that the places of those who have left are no more than those of who is there.
            if order.count > 2 * waiting.count + 16 { order.removeAll { waiting[$0] == nil } }
            return waiter
        }
    }

    private let state: Mutex<State>
    private let maxWaiting: Int
    private let maxPerPerson: Int

    init(permits: Int, maxWaiting: Int, maxPerPerson: Int) {
        state = Mutex(State(free: permits))
        self.maxWaiting = maxWaiting
        self.maxPerPerson = maxPerPerson
    }

    var free: Int { state.withLock { $0.free } }

    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Keeps a place in the line, from before an answer begins, where it can say when to come back, until it waits.
    ///
    /// - Throws: the problem `overloaded` where somebody who comes now is one too many.
    func reserve() throws -> Place {
        let isFull = state.withLock { state in
            guard state.waiting.count + state.reserved < maxWaiting else { return true }
            state.reserved += 1
            return false
        }
        if isFull { throw Self.full }
        return Place(turnstile: self)
    }

    fileprivate func giveBack() {
        state.withLock { $0.reserved -= 1 }
    }

    /// As what somebody comes to the line.
    package enum Admission {
        /// Sent away where too many wait, or too many for this person.
        case newcomer(UUID)
        /// A newcomer for whom a place was kept.
        case kept(Place)
        /// Somebody who was let in before, and is let through to the end.
        case begun
    }

    /// Waits for its turn, and has it while `body` runs. Cancelling the task ends the waiting.
    package func pass<Result>(
        as admission: Admission = .begun,
        _ body: () async throws -> Result
    ) async throws -> Result {
        var newcomer: UUID?
        defer { if let newcomer { uncount(newcomer) } }
        switch admission {
        case .newcomer(let person):
            try count(person)
            newcomer = person
            try await enter(true)
        case .kept(let place):
            place.giveBack()
            try await enter(false)
        case .begun: try await enter(false)
        }
        defer { leave() }
        return try await body()
    }

    /// Nobody fills the line alone: a turn may take as long as the largest answer there is.
    private func count(_ person: UUID) throws {
        let isOneTooMany = state.withLock { state in
            let count = state.newcomers[person, default: 0]
            guard count < maxPerPerson else { return true }
            state.newcomers[person] = count + 1
            return false
        }
        if isOneTooMany { throw Self.refusal("Too many of your requests wait for what there is to catch up with.") }
    }

    private func uncount(_ person: UUID) {
        state.withLock { state in
            let rest = state.newcomers[person, default: 0] - 1
            state.newcomers[person] = rest > 0 ? rest : nil
        }
    }

    /// - Parameter isNewcomer: whether it is sent away where too many wait.
    private func enter(_ isNewcomer: Bool) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // Under the lock: a cancellation that comes later finds the place.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    if isNewcomer, state.waiting.count + state.reserved >= maxWaiting { return .failure(Self.full) }
                    state.wait(waiter, as: number)
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.leave(number) }?.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = state.withLock { state -> Waiter? in
            if let next = state.next() { return next }
            state.free += 1
            return nil
        }
        next?.resume()
    }

    private static var full: HTTPProblem { refusal("Too many clients come back at this moment.") }

    /// Spread, so that those who were sent away do not come back together.
    private static func refusal(_ detail: String) -> HTTPProblem {
        HTTPProblem(.overloaded, detail, headers: [.retryAfter: "\(Int.random(in: 2...10))"])
    }
}

extension Turnstile {
    /// A place in the line; given back once, at the latest with its last reference.
    package final class Place: Sendable {
        private let turnstile: Turnstile
        private let isKept = Atomic(true)

        fileprivate init(turnstile: Turnstile) {
            self.turnstile = turnstile
        }

        deinit { giveBack() }

        fileprivate func giveBack() {
            if isKept.exchange(false, ordering: .relaxed) { turnstile.giveBack() }
        }
    }
}
