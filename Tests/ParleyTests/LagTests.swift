import Foundation
import Testing

@testable import parley

/// Whether what people read is too old, by the age of what they do not see yet.
struct LagTests {
    private static let now = Date(timeIntervalSince1970: 1_000)

    private func described(_ ages: [TimeInterval?], naming count: Int = 2) -> String? {
        let lags = ages.enumerated().map { Lag(partition: $0.offset, since: $0.element.map { Self.now - $0 }) }
        return Lag.description(of: lags, longerThan: .seconds(30), at: Self.now, naming: count)
    }

    @Test func `what has just come is no lag, however much it is`() {
        #expect(described([]) == nil)
        #expect(described([0, 1, 29, 30, nil]) == nil)
        #expect(described(Array(repeating: 1, count: 100_000)) == nil)
    }

    @Test func `partitions that are late are named, the latest first`() {
        #expect(described([31]) == "partition 0 is 31 s behind")
        #expect(described([40, 1, 3_600, 50]) == "partition 2 is 3600 s behind, partition 3 is 50 s behind, 1 more")
    }
}
