/// An address of a mail, with the name that is shown for it.
///
/// What could end a header or an SMTP command is refused, so that no address can add another.
package struct MailAddress: Sendable, Hashable {
    package let name: String?
    /// Such as `ada@example.org`.
    package let address: String

    package init?(address: String, name: String? = nil) {
        guard Self.isAddress(address), name.map(Self.isName) ?? true else { return nil }
        self.address = address
        self.name = name
    }

    /// Reads `ada@example.org` or `Ada Lovelace <ada@example.org>`.
    package init?(_ text: String) {
        guard text.hasSuffix(">"), let start = text.lastIndex(of: "<") else {
            self.init(address: text)
            return
        }
        let address = text[text.index(after: start)...].dropLast()
        var name = text[..<start]
        while name.last?.isWhitespace == true { name.removeLast() }
        while name.first?.isWhitespace == true { name.removeFirst() }
        if name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") { name = name.dropFirst().dropLast() }
        self.init(address: String(address), name: name.isEmpty ? nil : String(name))
    }

    package var domain: String {
        address.lastIndex(of: "@").map { String(address[address.index(after: $0)...]) } ?? "localhost"
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, text.utf8.count <= 254 else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isPrintable && scalar != " " && !"<>()[]\\,;:\"".unicodeScalars.contains(scalar)
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.unicodeScalars.count <= 100 && text.unicodeScalars.allSatisfy(\.isPrintable)
    }
}

extension Unicode.Scalar {
    /// No control character, line break or invisible formatting.
    var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: false
        default: true
        }
    }
}

extension MailAddress: CustomStringConvertible, CustomReflectable {
    /// Personal, and so kept out of logs.
    package var description: String { "<mail address>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
