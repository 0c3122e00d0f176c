import Testing

@testable import Live

/// What is said of partitions that presence waits for.
struct PresenceStandstillsTests {
    private let now = ContinuousClock.now

    @Test func `each is said of once, for as long as it stands still`() {
        var standstills = PresenceStandstills()
        #expect(standstills.wait(for: [1: 7], at: now) == [1: 7])
        #expect(standstills.wait(for: [1: 7, 3: 9], at: now + .seconds(3)) == [3: 9])
        #expect(standstills.wait(for: [1: 8, 3: 9], at: now + .seconds(600)) == [:])
        #expect(standstills.partitions == [1, 3])
        #expect(standstills.wait(for: [:], at: now + .seconds(603)) == [:])
        #expect(standstills.partitions.isEmpty)
        #expect(standstills.wait(for: [1: 8], at: now + .seconds(606)) == [1: 8])
    }

    @Test func `one that stands still again is said of a minute after the last time at the earliest`() {
        var standstills = PresenceStandstills()
        #expect(standstills.wait(for: [1: 7], at: now) == [1: 7])
        _ = standstills.wait(for: [:], at: now + .seconds(3))
        #expect(standstills.wait(for: [1: 8], at: now + .seconds(6)) == [:])
        #expect(standstills.wait(for: [1: 8], at: now + .seconds(59)) == [:])
        #expect(standstills.wait(for: [1: 8], at: now + .seconds(60)) == [1: 8])
    }
}
