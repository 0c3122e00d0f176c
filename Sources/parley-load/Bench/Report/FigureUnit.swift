/// What a figure counts.
enum FigureUnit: String, Sendable, Codable {
    case perSecond = "/s"
    case perMinute = "/min"
    case microseconds = "µs"
    case milliseconds = "ms"
    case seconds = "s"
    /// 1,024 bytes.
    case kilobytes = "KB"
    /// 1,024 × 1,024 bytes.
    case megabytes = "MB"
    case ratio = ""
    /// A number of things, without a word for them.
    case count = "n"

    /// A value as people read it: three digits that count, and not more than the unit deserves.
    func text(_ value: Double) -> String {
        let magnitude = abs(value)
        let digits = magnitude >= 100 || self == .count ? 0 : magnitude >= 10 ? 1 : 2
        let number = Self.grouped(value, digits: digits)
        switch self {
        case .perSecond, .perMinute: return number + rawValue
        case .ratio, .count: return number
        case .microseconds, .milliseconds, .seconds, .kilobytes, .megabytes: return "\(number) \(rawValue)"
        }
    }

    /// With commas between the thousands, whatever the machine's locale.
    private static func grouped(_ value: Double, digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "-" }
        let scale = digits == 2 ? 100 : digits == 1 ? 10 : 1
        let scaled = Int((abs(value) * Double(scale)).rounded())
        var whole = String(scaled / scale)
        var groups: [Substring] = []
        while whole.count > 3 {
            groups.insert(whole.suffix(3), at: 0)
            whole = String(whole.dropLast(3))
        }
        groups.insert(whole[...], at: 0)
        let fraction = digits == 0 ? "" : "." + String(scaled % scale + scale).suffix(digits)
        return (value < 0 ? "-" : "") + groups.joined(separator: ",") + fraction
    }
}
