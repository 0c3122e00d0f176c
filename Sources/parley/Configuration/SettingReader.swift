import Foundation

/// Reads the text of a setting.
struct SettingReader<Value: Sendable>: Sendable {
    /// What the text should be, for the error: "a whole number from 1 to 256".
    let hint: String
    private let body: @Sendable (String) throws -> Value?

    private struct Unreadable: Error {}

    init(_ hint: String, _ body: @escaping @Sendable (String) throws -> Value?) {
        self.hint = hint
        self.body = body
    }

    func read(_ text: String) throws -> Value {
        guard let value = try body(text) else { throw Unreadable() }
        return value
    }
}

extension SettingReader where Value == String {
    static var text: Self { Self("a text") { $0.isEmpty ? nil : $0 } }
}

extension SettingReader where Value == Int {
    static func wholeNumber(_ range: ClosedRange<Int>) -> Self {
        Self("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingReader where Value == Bool {
    static var onOrOff: Self {
        Self("on or off") { text in
            switch text {
            case "on", "true", "1": true
            case "off", "false", "0": false
            case _: nil
            }
        }
    }
}

extension SettingReader where Value == Duration {
    /// A whole number with its unit.
    static func duration(from least: Duration, to most: Duration) -> Self {
        Self("a duration such as 500ms, 30s, 15min, 12h or 60d, from \(least) to \(most)") { text in
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), number <= 1_000_000_000, let unit = unit(text.dropFirst(digits.count))
            else {
                return nil
            }
            let duration = unit * number
            return least <= duration && duration <= most ? duration : nil
        }
    }

    private static func unit(_ name: Substring) -> Duration? {
        switch name {
        case "ms": .milliseconds(1)
        case "s": .seconds(1)
        case "min", "m": .seconds(60)
        case "h": .seconds(3600)
        case "d": .seconds(86_400)
        case _: nil
        }
    }
}

extension SettingReader where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few words.
    static var word: Self {
        Self("one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")) { Value(rawValue: $0) }
    }
}
