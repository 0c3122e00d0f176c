import Foundation

/// The name of a file as others may be shown it, and save it under.
package enum FileName {
    /// The last part of a path, without what hides or confuses: control characters, marks of direction, and dots and blanks at
    /// its ends. Nil where nothing is left.
    package static func safe(_ text: String?) -> String? {
        guard let text else { return nil }
        let last = text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var name = String.UnicodeScalarView()
        for scalar in last.unicodeScalars where isShown(scalar) {
            // What other systems keep for themselves.
            name.append("<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar)
        }
        let trimmed = String(name).trimmingCharacters(in: CharacterSet(charactersIn: ". \u{00A0}"))
        let short = shortened(trimmed, to: AttachmentLimits.nameBytes)
        return short.isEmpty ? nil : short
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// Keeps what tells the format.
    private static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let suffix = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        let end = suffix.utf8.count <= 16 ? suffix : ""
        var start = name.dropLast(end.count)
        while start.utf8.count + end.utf8.count > limit { start = start.dropLast() }
        return String(start + end)
    }

    /// The field by which a browser saves an answer: the name in ASCII for old ones, and whole (RFC 6266, RFC 8187).
    package static func disposition(isInline: Bool, _ name: String?) -> String {
        let kind = isInline ? "inline" : "attachment"
        guard let name else { return kind }
        let ascii = String(
            name.unicodeScalars.map { scalar -> Character in
                let isPlain =
                    scalar.isASCII && scalar.value >= 0x20 && scalar != "\"" && scalar != "\\" && scalar != "%"
                return isPlain ? Character(scalar) : "_"
            }
        )
        let encoded = name.utf8.map { byte -> String in
            let isPlain =
                byte < 0x80
                && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                    || "!#$&+-.^_`|~".utf8.contains(byte))
            if isPlain { return String(Unicode.Scalar(byte)) }
            let hex = String(byte, radix: 16, uppercase: true)
            return "%" + (hex.count == 1 ? "0" : "") + hex
        }.joined()
        return "\(kind); filename=\"\(ascii)\"; filename*=UTF-8''\(encoded)"
    }
}
