import Foundation
import ParleyWire
import Testing

struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00.000Z", 0),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-03-01T10:00:00.123Z", 1_772_359_200_123),
        ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
        ("2000-03-01T00:00:00.000Z", 951_868_800_000),
        ("1900-02-28T12:00:00.500Z", -2_203_934_399_500),
        ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `a time and its text are the same thing`(text: String, milliseconds: Int64) {
        let date = Timestamp.date(milliseconds: milliseconds)
        #expect(Timestamp.format(date) == text)
        #expect(Timestamp.parse(text).map(Timestamp.milliseconds(of:)) == milliseconds)
    }

    @Test func `every millisecond of a second survives the round trip`() {
        for millisecond in Int64(0)..<1000 {
            let date = Timestamp.date(milliseconds: 1_772_359_200_000 + millisecond)
            let text = Timestamp.format(date)
            #expect(text.hasSuffix("." + String(millisecond + 1000).dropFirst() + "Z"))
            #expect(Timestamp.parse(text) == date)
        }
    }

    @Test func `every day agrees with Foundation`() throws {
        let style = Date.ISO8601FormatStyle()
        for day in stride(from: -30_000, through: 60_000, by: 17) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_261)
            #expect(Timestamp.format(date).prefix(19) == date.formatted(style).prefix(19))
        }
    }

    @Test func `microseconds are cut, not rounded, also where a Date cannot hold them exactly`() {
        for microsecond in [0, 1, 499, 500, 501, 998, 999] {
            let date = Date(timeIntervalSince1970: 1_772_359_200.123 + Double(microsecond) / 1_000_000)
            #expect(Timestamp.format(date) == "2026-03-01T10:00:00.123Z")
        }
    }

    @Test func `times beyond the calendar become its nearest end`() {
        #expect(Timestamp.format(.distantFuture.addingTimeInterval(1e18)) == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp.format(Date(timeIntervalSince1970: -1e30)) == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp.format(Date(timeIntervalSince1970: .nan)) == "9999-12-31T23:59:59.999Z")
    }

    @Test(arguments: [
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000Z"),
        ("2026-03-01T10:00:00.1Z", "2026-03-01T10:00:00.100Z"),
        ("2026-03-01T10:00:00.123999999Z", "2026-03-01T10:00:00.123Z"),
        ("2026-03-01T10:00:00+01:30", "2026-03-01T08:30:00.000Z"),
        ("2026-02-28T23:00:00-02:00", "2026-03-01T01:00:00.000Z"),
    ])
    func `what RFC 3339 allows is read`(text: String, same: String) {
        #expect(Timestamp.parse(text).map(Timestamp.format) == same)
    }

    @Test(arguments: [
        "", "Z", "2026-03-01", "2026-03-01T10:00:00", "2026-03-01 10:00:00Z", "2026-02-29T10:00:00Z",
        "2026-13-01T10:00:00Z", "2026-00-01T10:00:00Z", "2026-03-00T10:00:00Z", "2026-03-01T24:00:00Z",
        "2026-03-01T10:60:00Z", "2026-03-01T10:00:60Z", "2026-03-01T10:00:00.Z", "2026-03-01T10:00:00.1234567890Z",
        "2026-03-01T10:00:00ZZ", "2026-03-01T10:00:00+1:00", "2026-03-01T10:00:00+24:00", "2026-03-01T10:00:00\u{0}Z",
        "+026-03-01T10:00:00Z", "２026-03-01T10:00:00Z", "2026-3-1T10:00:00Z", " 2026-03-01T10:00:00Z",
    ])
    func `anything else is no time`(text: String) {
        #expect(Timestamp.parse(text) == nil)
    }
}
