import Glibc
import ParleyWire
import Testing

@testable import parley_load

struct RestartTallyTests {
    @Test func `what was not told is missing, and what was told twice is doubled`() {
        let (one, other, third) = (WireID(), WireID(), WireID())
        var tally = RestartTally()
        tally.told = [one: 1, other: 2]
        #expect(tally.doubled == 1)
        #expect(tally.missing(of: [one, other]) == 0)
        #expect(tally.missing(of: [one, third]) == 1)
    }

    @Test func `what a process has used of the cores is what it says itself`() throws {
        let before = ProcessorTime.own
        let told = try ProcessorTime.of(process: getpid())
        // In hundredths of a second.
        #expect(told >= before - 0.03 && told <= ProcessorTime.own + 0.03)
        #expect(try ProcessorTime.ofFamily(getpid()) >= told)
        #expect(throws: (any Error).self) { try ProcessorTime.of(process: -1) }
    }
}
