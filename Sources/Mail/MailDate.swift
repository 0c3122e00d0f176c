import Foundation

/// A time as mails have it (RFC 5322 §3.3), in UTC.
enum MailDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Such as `Sat, 21 Nov 2026 20:15:00 +0000`; in English whatever the machine's language is.
    static func text(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        let day = days[max(0, min(6, (parts.weekday ?? 1) - 1))]
        let month = months[max(0, min(11, (parts.month ?? 1) - 1))]
        let time = [parts.hour, parts.minute, parts.second].map { padded($0 ?? 0) }.joined(separator: ":")
        return "\(day), \(padded(parts.day ?? 1)) \(month) \(parts.year ?? 1970) \(time) +0000"
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
