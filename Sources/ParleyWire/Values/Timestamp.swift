public import Foundation

/// Times on the wire: RFC 3339 in UTC with exactly milliseconds, `2026-03-01T10:00:00.123Z`.
public enum Timestamp {
    /// Writes a time, cut to the millisecond; times outside the years 0 to 9999 become the nearest end.
    public static func format(_ date: Date) -> String {
        String(unsafeUninitializedCapacity: length) { write(date, to: $0) }
    }

    /// Appends the text to bytes, without making a string of it.
    package static func append(_ date: Date, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
            let count = write(date, to: text)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text.prefix(count)))
        }
    }

    private static let length = 24

    /// - Parameter text: has room for ``length`` bytes.
    private static func write(_ date: Date, to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let milliseconds = min(max(milliseconds(of: date), earliest), latest)
        let (days, time) = milliseconds.flooredQuotient(by: 86_400_000)
        let day = CivilDay(daysSince1970: days)
        var writer = DigitWriter(text: text)
        writer.put(day.year, width: 4, then: "-")
        writer.put(day.month, width: 2, then: "-")
        writer.put(day.day, width: 2, then: "T")
        writer.put(time / 3_600_000, width: 2, then: ":")
        writer.put(time / 60_000 % 60, width: 2, then: ":")
        writer.put(time / 1000 % 60, width: 2, then: ".")
        writer.put(time % 1000, width: 3, then: "Z")
        return writer.count
    }

    /// Reads a time as RFC 3339 allows it: up to nine digits of a second, `Z` or an offset; nil for anything else.
    ///
    /// What is finer than a millisecond is cut off. Leap seconds are refused.
    public static func parse(_ text: some StringProtocol) -> Date? {
        var reader = DigitReader(text.utf8)
        guard let year = reader.number(width: 4), reader.skip("-"),
            let month = reader.number(width: 2), reader.skip("-"),
            let day = reader.number(width: 2), reader.skip("T"),
            let hour = reader.number(width: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(width: 2), minute < 60, reader.skip(":"),
            let second = reader.number(width: 2), second < 60,
            let civil = CivilDay(year: year, month: month, day: day),
            let fraction = reader.milliseconds(),
            let offset = reader.offsetMinutes(), reader.isAtEnd
        else { return nil }
        let minutes = (civil.daysSince1970 * 24 + hour) * 60 + minute - offset
        return date(milliseconds: (minutes * 60 + second) * 1000 + fraction)
    }

    /// Whole milliseconds since 1970, rounded down.
    ///
    /// A `Date` is a binary fraction: 0.123 s may be stored as 0.12299999. Rounding to the microsecond first gives back
    /// what was meant.
    public static func milliseconds(of date: Date) -> Int64 {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        guard microseconds.magnitude < 9e18 else { return microseconds < 0 ? earliest : latest }
        return Int64(microseconds).flooredQuotient(by: 1000).quotient
    }

    /// The `Date` of whole milliseconds since 1970.
    public static func date(milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The time cut to what travels on the wire, so that it equals its own round trip.
    public static func truncate(_ date: Date) -> Date {
        self.date(milliseconds: milliseconds(of: date))
    }

    private static let earliest: Int64 = -62_167_219_200_000
    private static let latest: Int64 = 253_402_300_799_999
}
