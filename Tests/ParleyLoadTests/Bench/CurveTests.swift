import ArgumentParser
import Foundation
import Testing

@testable import parley_load

struct CurveTests {
    @Test func `a curve is a table, and the JSON that is plotted`() throws {
        var curve = Curve(.log, "The log grows", axis: "events")
        curve.add(100_000, [.init("sends", 5_000, .perSecond), .init("list p50", 1.5, .milliseconds)])
        curve.add(1_000_000, [.init("sends", 4_900, .perSecond), .init("list p50", 1.6, .milliseconds)])
        #expect(curve.table.contains("events    |   sends | list p50"))
        #expect(curve.table.contains("1,000,000 | 4,900/s |  1.60 ms"))

        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(curve)) as? [String: Any]
        #expect(object?["dimension"] as? String == "log")
        #expect(object?["isLogarithmic"] as? Bool == true)
        let points = try #require(object?["points"] as? [[String: Any]])
        #expect(points.map { $0["size"] as? Double } == [100_000, 1_000_000])
        let figure = try #require((points[1]["figures"] as? [[String: Any]])?.first)
        #expect(figure["what"] as? String == "sends")
        #expect(figure["unit"] as? String == "/s")
        #expect(figure["value"] as? Double == 4_900)
    }

    @Test func `quick runs are smaller, and nobody misses more than half of a log`() throws {
        let settings = try BenchSettings.parse(["--quick", "--log-events", "8000"]).adjusted
        #expect(settings.runs == 1)
        #expect(settings.missed == 4_000)
        #expect(settings.seconds == 3)
        #expect(settings.coldEvents == 25_000)
        #expect(try BenchSettings.parse([]).adjusted.missed == 10_000)
    }
}
