/// When a person wants to be left alone, each day: notifications change the number on the app alone.
public struct QuietHours: Codable, Hashable, Sendable {
    /// As `22:00`, of the person's own day.
    public var from: String
    /// Not included; earlier than `from` for the next morning.
    public var to: String
    /// An IANA name.
    public var timeZone: String

    public init(from: String, to: String, timeZone: String) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
}

extension QuietHours {
    /// The minute of the day of a time such as `22:05`; nil for what is none.
    public static func minute(of time: String) -> Int? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard time.utf8.count == 5, parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// A minute of the day as a time.
    public static func time(of minute: Int) -> String {
        let (hour, rest) = (minute / 60, minute % 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (rest < 10 ? "0" : "") + "\(rest)"
    }
}
