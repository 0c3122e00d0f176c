import Foundation
import Testing

@testable import Reactors

@Suite struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    @Test func `it opens after failures in a row, and not after some among successes`() {
        var breaker = CircuitBreaker()
        for _ in 0..<20 {
            breaker.failed("503", at: start)
            breaker.failed("503", at: start)
            breaker.answered(for: UUID(), at: start)
        }
        #expect(breaker.isClosed)
        for _ in 0..<CircuitBreaker.failures { breaker.failed("503", at: start) }
        let isAdmitted = breaker.admits(at: start)
        #expect(!isAdmitted)
        #expect(breaker.reason == "503")
    }

    @Test func `one is let through to try, and the rest waits for what it says`() throws {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.failures { breaker.failed("503", at: start) }
        let next = try #require(breaker.opens(at: start))
        let isFirstAdmitted = breaker.admits(at: next)
        #expect(isFirstAdmitted)
        let isSecondAdmitted = breaker.admits(at: next)
        #expect(!isSecondAdmitted)
        breaker.answered(for: UUID(), at: next)
        let isNextAdmitted = breaker.admits(at: next)
        #expect(breaker.isClosed && isNextAdmitted)
    }

    @Test func `each try in vain doubles the pause, up to a minute`() throws {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.failures { breaker.failed("503", at: start) }
        var (now, pauses): (ContinuousClock.Instant, [Duration]) = (start, [])
        for _ in 0..<8 {
            let next = try #require(breaker.opens(at: now))
            pauses.append(next - now)
            now = next
            let isAdmitted = breaker.admits(at: now)
            #expect(isAdmitted)
            breaker.failed("503", at: now)
        }
        #expect(pauses == [5, 10, 20, 40, 60, 60, 60, 60].map { .seconds($0) })
    }

    @Test func `what was under way together opens it once, for the shortest pause`() throws {
        var breaker = CircuitBreaker()
        for _ in 0..<20 { breaker.failed("503", at: start) }
        let next = try #require(breaker.opens(at: start))
        #expect(next == start + .seconds(5))
        let isAdmitted = breaker.admits(at: next)
        #expect(isAdmitted)
        breaker.failed("503", at: next)
        #expect(breaker.opens(at: next) == next + .seconds(10))
    }

    @Test func `one who tries and is never heard of again does not keep it shut for good`() throws {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.failures { breaker.failed("503", at: start) }
        let next = try #require(breaker.opens(at: start))
        let isFirstAdmitted = breaker.admits(at: next)
        #expect(isFirstAdmitted)
        let isLaterAdmitted = breaker.admits(at: next + .seconds(60))
        #expect(isLaterAdmitted)
    }

    @Test func `addresses that are refused together open it, single ones do not`() {
        var breaker = CircuitBreaker()
        let people = (0..<10).map { _ in UUID() }
        for _ in 0..<50 {
            breaker.answered(for: people[9], refusing: true, at: start)
            for other in 0..<4 { breaker.answered(for: people[other], at: start) }
        }
        #expect(breaker.isClosed)
        for person in people.prefix(RefusedAddresses.fewest) {
            breaker.answered(for: person, refusing: true, at: start)
        }
        let isAdmitted = breaker.admits(at: start)
        #expect(!isAdmitted)
    }

    @Test func `what one person has registered opens it for nobody else`() {
        var breaker = CircuitBreaker()
        let (one, others) = (UUID(), (0..<3).map { _ in UUID() })
        for other in others { breaker.answered(for: other, at: start) }
        for _ in 0..<100 { breaker.answered(for: one, refusing: true, at: start) }
        #expect(breaker.isClosed)
    }

    @Test func `it is open for the pause that many people's devices are to have, and not for one person's`() {
        var breaker = CircuitBreaker()
        let people = (0..<6).map { _ in UUID() }
        for _ in 0..<100 {
            breaker.throttled(for: people[5], pause: .seconds(90), "status429", at: start)
            for other in people.prefix(3) { breaker.answered(for: other, at: start) }
        }
        #expect(breaker.isClosed)
        for person in people.prefix(4) {
            breaker.throttled(for: person, pause: .seconds(90), "status429", at: start)
        }
        let next = start + .seconds(90)
        #expect(breaker.opens(at: start) == next && breaker.reason == "status429")
        // Who tries hears the same.
        let isAdmitted = breaker.admits(at: next)
        #expect(isAdmitted)
        breaker.throttled(for: people[0], pause: .seconds(90), "status429", at: next)
        #expect(breaker.opens(at: next) == next + .seconds(90))
        let isAdmittedLater = breaker.admits(at: next + .seconds(90))
        #expect(isAdmittedLater)
        breaker.answered(for: people[0], at: next + .seconds(90))
        #expect(breaker.isClosed)
    }

    @Test func `a service that asks for a pause gets it, and no more than an hour`() throws {
        var breaker = CircuitBreaker()
        breaker.open(for: .seconds(300), "429", at: start)
        #expect(breaker.opens(at: start) == start + .seconds(300))
        breaker.open(for: .seconds(100_000), "429", at: start)
        #expect(breaker.opens(at: start) == start + .seconds(3_600))
    }
}
