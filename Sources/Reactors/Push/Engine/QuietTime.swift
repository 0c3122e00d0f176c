import Foundation

/// When a person wants to be left alone, each day of the person's own time; over midnight where it ends earlier than it begins.
struct QuietTime: Sendable, Hashable {
    /// In minutes of the day.
    let from: Int
    let to: Int
    /// An IANA name.
    let timeZone: String

    init(from: Int, to: Int, timeZone: String) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }

    /// A time zone that this machine does not know keeps nobody from being told.
    func hold(_ date: Date) -> Bool {
        guard let zone = TimeZone(identifier: timeZone) else { return false }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        guard let hour = parts.hour, let minute = parts.minute else { return false }
        let now = hour * 60 + minute
        return from < to ? (from..<to).contains(now) : now >= from || now < to
    }
}
