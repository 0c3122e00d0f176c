import Foundation
import NIOHTTP1

/// How long a service asks to be left alone: RFC 9110, section 10.2.3.
enum RetryAfter {
    private static let longest = 86_400.0

    static func read(_ headers: HTTPHeaders, at now: Date) -> Duration? {
        guard let text = headers.first(name: "retry-after") else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? .seconds(min(Double(seconds), longest)) : nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = formatter.date(from: text) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(now)), longest))
    }
}
