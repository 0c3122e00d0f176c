import Glibc
import ParleyWire
import Testing

@testable import parley_load

struct RestartTallyTests {
    @Test func `what was not told is missing, and what was told twice is doubled`() {
        let (one, other, third) = (WireID(), WireID(), WireID())
        var tally = RestartTally()
        tally.received = [one: 1, other: 2]
        #expect(tally.doubled == 1)
        #expect(tally.missing(of: [one, other]) == 0)
        #expect(tally.missing(of: [one, third]) == 1)
    }

    @Test func `what a process has used of the cores is what it says itself`() throws {
        let before = ProcessorTime.own
        let used = try ProcessorTime.of(process: getpid())
        // In hundredths of a second.
        #expect(used >= before - 0.03 && used <= ProcessorTime.own + 0.03)
        #expect(try ProcessorTime.ofFamily(getpid()) >= used)
        #expect(throws: (any Error).self) { try ProcessorTime.of(process: -1) }
    }
}
