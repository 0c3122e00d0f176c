/// What people have written, for an operator's terminal, which would obey what it takes for control sequences.
enum TerminalText {
    /// The text with whatever draws nothing by itself spelled out, line breaks too, as in `\u{1b}[2J`.
    static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            // They join letters and emoji.
            case .format where scalar == "\u{200C}" || scalar == "\u{200D}":
                line.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            case _:
                line.append(scalar)
            }
        }
        return String(line)
    }

    /// The same of each line, set in.
    static func block(_ text: String) -> String {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    \(line(String($0)))" }.joined(separator: "\n")
    }
}
