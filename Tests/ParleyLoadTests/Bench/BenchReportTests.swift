import ArgumentParser
import Foundation
import Testing

@testable import parley_load

struct BenchReportTests {
    @Test func `medians and spreads are those of the runs`() {
        #expect(Statistics.median([]) == 0)
        #expect(Statistics.median([3, 1, 2]) == 2)
        #expect(Statistics.median([4, 1, 2, 3]) == 2.5)
        #expect(Statistics.spread([90, 100, 120]) == 30)
        #expect(Statistics.spread([0, 0]) == 0)
    }

    @Test func `latencies keep three digits`() {
        var latencies = Latencies()
        #expect(latencies.percentile(99) == 0)
        #expect(latencies.max == 0)
        for number in 1...1000 { latencies.record(nanoseconds: Int64(number) * 1_000_000) }
        latencies.record(nanoseconds: -5)
        latencies.record(nanoseconds: .max)
        #expect(abs(latencies.percentile(50) - 500) <= 1)
        #expect(abs(latencies.percentile(99) - 990) <= 2)
        #expect(abs(latencies.max - 120_000) <= 120)
        #expect(latencies.figures["count"] == 1002)
    }

    @Test(arguments: [
        (FigureUnit.perSecond, 22_700.4, "22,700/s"), (.perSecond, 1_234_567, "1,234,567/s"), (.ratio, 0.604, "0.60"),
        (.milliseconds, 12.345, "12.3 ms"), (.kilobytes, 99.999, "100.0 KB"), (.megabytes, 77.5, "77.5 MB"),
        (.ratio, -1.5, "-1.50"),
        (.perSecond, .nan, "-/s"),
    ])
    func `figures are written with the digits that count`(unit: FigureUnit, value: Double, text: String) {
        #expect(unit.text(value) == text)
    }

    private func finding(_ figures: [Double], _ yardsticks: [Double]) -> Finding {
        Finding(
            .sends,
            "sends",
            figures,
            .perSecond,
            yardstick: .init("inserts", yardsticks, .perSecond),
            goal: .init(.ratio, .atLeast, bar: 0.6, aim: 1)
        )
    }

    @Test func `a ratio is the median of the runs' ratios`() throws {
        let finding = finding([100, 300, 50], [100, 400, 100])
        #expect(finding.figure == 100)
        #expect(finding.ratios == [1, 0.75, 0.5])
        #expect(finding.ratio == 0.75)
        #expect(finding.isBarMet == true)
        #expect(finding.isAimMet == false)
        #expect(try #require(finding.spread) > 66)
    }

    @Test func `what must be small is met from below`() {
        let goal = Goal(.figure, .atMost, bar: 15, aim: 5)
        let finding = Finding(.sends, "p99", [5], .milliseconds, goal: goal)
        #expect(finding.isBarMet == true)
        #expect(finding.isAimMet == true)
        #expect(Finding(.sends, "p99", [15.1], .milliseconds, goal: goal).isBarMet == false)
        #expect(finding.spread == nil)
    }

    @Test func `a report has a table, and all values as JSON`() throws {
        var report = BenchReport(conditions: Conditions(settings: try BenchSettings.parse([])))
        report.findings = [finding([100, 300], [200, 400])]
        report.failures = ["http": "no server"]
        let lines = report.table.split(separator: "\n")
        #expect(lines.contains { $0.contains("sends: sends") && $0.contains("≥ 0.60 met") && $0.contains("NOT met") })
        #expect(lines.contains("NOT measured: http: no server"))
        #expect(lines.contains("sends ÷ inserts"))

        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any]
        let first = try #require((object?["findings"] as? [[String: Any]])?.first)
        #expect(first["runs"] as? [Double] == [100, 300])
        #expect(first["barMet"] as? Bool == true)
        #expect((first["yardstick"] as? [String: Any])?["runs"] as? [Double] == [200, 400])
        let conditions = try #require(object?["conditions"] as? [String: Any])
        #expect((conditions["settings"] as? [String: Double])?["connections"] == 256)
        #expect((conditions["machine"] as? [String: Any])?["cores"] as? Int == report.conditions.machine.cores)
    }

    @Test func `columns are as wide as their widest cell`() {
        var table = TextTable(["what", "n"])
        table.add(["a", "100"])
        #expect(table.text == "what |   n\n-----|----\na    | 100")
    }

    @Test func `columns without a cell are left out`() {
        var table = TextTable(["what", "bar", "n"])
        table.add(["a", "", "1"])
        table.add(["b"])
        #expect(table.withoutEmptyColumns.text == "what | n\n-----|--\na    | 1\nb    |  ")
    }

    @Test func `rows are chosen by name`() throws {
        #expect(try RowName.list("http, sends") == [.http, .sends])
        #expect(throws: ValidationError.self) { try RowName.list("sends,nothing") }
        #expect(throws: (any Error).self) { try MeasureCommand.parse(["nothing"]) }
        #expect(try MeasureCommand.parse(["http"]).rows == [.http])
        #expect(throws: (any Error).self) { try MeasureCommand.parse(["--pid", "1"]) }
        #expect(throws: (any Error).self) { try MeasureCommand.parse(["--data-dir", "/srv"]) }
        #expect(throws: (any Error).self) { try MeasureCommand.parse(["--server", "https://chat.example"]) }
    }
}
