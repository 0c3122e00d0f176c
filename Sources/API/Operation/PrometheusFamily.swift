/// All series of one metric.
struct PrometheusFamily: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    let kind: Kind
    /// By the text of their labels, `a="1",b="2"`.
    private(set) var series: [String: any PrometheusSeries] = [:]

    init(kind: Kind) {
        self.kind = kind
    }

    /// Finds the series of these labels or makes it; past the limit, the one that stands for all others.
    mutating func series<S: PrometheusSeries>(_ dimensions: [(String, String)], limit: Int, _ make: () -> S) -> S {
        var labels = Self.text(dimensions)
        if series[labels] == nil, series.count >= limit { labels = Self.text(dimensions.map { ($0.0, "other") }) }
        if let found = series[labels] {
            // The same name used for two kinds of metric: the first one is shown.
            return found as? S ?? make()
        }
        let made = make()
        series[labels] = made
        return made
    }

    /// The text as a name: letters, digits, underscores, and no digit in front.
    static func name(_ text: String, allowing other: Unicode.Scalar? = nil) -> String {
        let name = text.unicodeScalars.map { Self.isLetter($0) || Self.isDigit($0) || $0 == other ? $0 : "_" }
        let isName = name.first.map { !Self.isDigit($0) } ?? false
        return (isName ? "" : "_") + String(String.UnicodeScalarView(name))
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    private static func text(_ dimensions: [(String, String)]) -> String {
        dimensions.map { ($0.0, $0.1) }
            .sorted { $0.0 < $1.0 }
            .map { "\(name($0.0))=\"\(escaped($0.1))\"" }
            .joined(separator: ",")
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        // Long values are of no use on a graph, and could be anything.
        for character in value.prefix(100).unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
