import Foundation
import Testing

@testable import Live

struct TypingIndicatorsTests {
    private let indicators = TypingIndicators()
    private let ada = UUID()
    private let bob = UUID()
    private let room = UUID()
    private let start = ContinuousClock.now

    private func says(_ isTyping: Bool, _ person: UUID, after seconds: Double) -> Bool {
        indicators.note(isTyping, by: person, in: room, at: start + .milliseconds(Int(seconds * 1_000)))
    }

    @Test func `typing is told at most once in two seconds, for each person`() {
        #expect(
            [0, 0.5, 1.9, 2, 3.9, 4].map { says(true, ada, after: $0) } == [true, false, false, true, false, true]
        )
        #expect(says(true, bob, after: 4.1))
    }

    @Test func `stopping is told where the others may still show the typing`() {
        #expect(!says(false, ada, after: 0))
        #expect(says(true, ada, after: 1))
        #expect(says(false, ada, after: 1.5))
        #expect(!says(false, ada, after: 1.6))
        #expect(says(true, ada, after: 3))
        #expect(!says(false, ada, after: 6.1))
    }

    @Test func `who goes on and off is told of no more often`() {
        let accepted = (0..<40).filter { says($0.isMultiple(of: 2), ada, after: Double($0) / 10) }
        #expect(accepted == [0, 1, 20, 21])
    }

    @Test func `a message ends the typing, and what comes after it is told at once`() {
        #expect(says(true, ada, after: 0))
        indicators.sent(by: ada, in: room)
        #expect(!says(false, ada, after: 0.1))
        #expect(says(true, ada, after: 0.2))
    }

    @Test func `memory is bounded`() {
        for _ in 0..<50_000 { _ = indicators.note(true, by: UUID(), in: room, at: start) }
        #expect(says(true, ada, after: 0.1))
    }
}
