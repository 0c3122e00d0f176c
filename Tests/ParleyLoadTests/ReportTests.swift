import ParleyWire
import Testing

@testable import parley_load

struct ReportTests {
    @Test func `a report holds until something fails, and says what`() {
        let report = CheckReport()
        report.compare(.sends, true, "never shown")
        #expect(report.holds)
        report.compare(.history, differences: ["seq 2 is gone"], of: "group")
        #expect(!report.holds)
        #expect(report[.sends] == .init(compared: 1))
        #expect(report.table().contains("group: seq 2 is gone"))
        #expect(!report.table().contains("never shown"))
    }

    @Test func `examples are bounded, counts are not`() {
        let report = CheckReport()
        for number in 0..<1000 { report.fail(.streams, "example \(number)") }
        #expect(report[.streams].failed == 1000)
        #expect(report[.streams].examples.count == CheckReport.mostExamples)
        #expect(report.table().contains("and \(1000 - CheckReport.mostExamples) more"))
    }
}
