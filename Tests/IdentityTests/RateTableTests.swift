import Foundation
import Synchronization
import Testing

@testable import Identity

@Suite struct RateTableTests {
    private let start = ContinuousClock.now
    private let limit = RateLimit(5, per: .seconds(10))

    @Test func `the quota passes at once, and no more`() {
        let table = RateTable()
        let person = RateSubject.person(UUID())
        for _ in 0..<5 { #expect(!table.take(person, limit: limit, at: start).isRefused) }
        #expect(table.take(person, limit: limit, at: start).isRefused)
        #expect(!table.take(.person(UUID()), limit: limit, at: start).isRefused)
    }

    @Test func `tokens come back evenly, and never more than the quota`() {
        let table = RateTable()
        let person = RateSubject.person(UUID())
        for _ in 0..<5 { _ = table.take(person, limit: limit, at: start) }
        #expect(table.take(person, limit: limit, at: start + .milliseconds(1_999)).isRefused)
        #expect(!table.take(person, limit: limit, at: start + .milliseconds(2_000)).isRefused)
        #expect(table.take(person, limit: limit, at: start + .milliseconds(2_001)).isRefused)
        let later = start + .seconds(3_600)
        for _ in 0..<5 { #expect(!table.take(person, limit: limit, at: later).isRefused) }
        #expect(table.take(person, limit: limit, at: later).isRefused)
    }

    @Test func `being refused costs nothing`() {
        let table = RateTable()
        let person = RateSubject.person(UUID())
        for _ in 0..<100 { _ = table.take(person, limit: limit, at: start) }
        #expect(!table.take(person, limit: limit, at: start + .seconds(2)).isRefused)
    }

    @Test func `full buckets are forgotten`() {
        let table = RateTable()
        for _ in 0..<1_024 { _ = table.take(.person(UUID()), limit: limit, at: start) }
        #expect(table.count == 1_024)
        _ = table.take(.person(UUID()), limit: limit, at: start + .seconds(3))
        #expect(table.count == 1)
    }

    @Test func `a flood of new keys pushes out no exhausted bucket`() {
        let table = RateTable(capacity: 1_000)
        let exhausted = (0..<500).map { _ in RateSubject.person(UUID()) }
        for person in exhausted {
            for _ in 0..<5 { _ = table.take(person, limit: limit, at: start) }
        }
        for _ in 0..<20_000 {
            _ = table.take(.person(UUID()), limit: limit, at: start)
            #expect(table.count <= 1_000)
        }
        #expect(exhausted.allSatisfy { table.take($0, limit: limit, at: start).isRefused })
    }

    @Test func `a standing tells what is left and when all is back`() {
        let send = RatePolicy.send.standard
        let table = RateTable()
        let person = RateSubject.person(UUID())
        let first = table.take(person, limit: send, at: start)
        let standing = RateStanding(.send, send, debt: first.debt, isRefused: first.isRefused)
        #expect((standing.remaining, standing.untilFull.wholeSeconds) == (49, 1))
        #expect(standing.wait == nil)
        for _ in 0..<49 { _ = table.take(person, limit: send, at: start) }
        let last = table.take(person, limit: send, at: start)
        let refused = RateStanding(.send, send, debt: last.debt, isRefused: last.isRefused)
        #expect((refused.remaining, refused.untilFull.wholeSeconds) == (0, 5))
        #expect(refused.wait == .milliseconds(100))
    }

    @Test(arguments: [(50, 5, "50/5s"), (10, 600, "10/10min"), (20, 3_600, "20/1h"), (1, 86_400, "1/24h")])
    func `limits read as they are written`(quota: Int, seconds: Int, text: String) {
        #expect(RateLimit(quota, per: .seconds(seconds)).description == text)
    }
}
