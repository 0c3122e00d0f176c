import Foundation

/// An email address in the one form in which it is stored and compared: trimmed, NFC, lower case, the domain in ASCII.
///
/// A domain has one such form, and mail programs show many of them as something else: two accounts that differ in how it is
/// written would be a way to pose as somebody, too.
///
/// The part before the @ is lower case too: no mail provider of note tells `Ada@` from `ada@`, and two accounts that
/// differ in nothing else would be a way to pose as somebody.
package struct EmailAddress: Sendable {
    package let text: String
    /// With the domain as it was written: accounts may have been stored so.
    private let written: String

    /// How an account may have it, as it is stored now first.
    var spellings: [String] { written == text ? [text] : [text, written] }

    /// False for a domain that has no form in ASCII, and so no mails. Accounts may have one, and sign in; none is made.
    var hasASCIIDomain: Bool { text.drop { $0 != "@" }.allSatisfy(\.isASCII) }

    /// Checks the syntax that all deliverable addresses share; only a mail proves more.
    package init(_ raw: String) throws(InvalidField) {
        // Checked before normalising too, so that the work is bounded.
        guard raw.utf8.count <= 4 * Self.maximumLength else { throw Self.tooLong }
        let written =
            raw.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
            .lowercased().precomposedStringWithCanonicalMapping
        guard written.utf8.count <= Self.maximumLength else { throw Self.tooLong }
        let parts = written.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else { throw Self.malformed }
        text = "\(parts[0])@\(Self.inASCII(parts[1]) ?? parts[1])"
        guard text.utf8.count <= Self.maximumLength else { throw Self.tooLong }
        self.written = written
    }

    /// An address that was checked before it was stored.
    init(stored text: String) {
        self.text = text
        written = text
    }

    /// A domain by UTS #46, as URLs have it; nil where it has no such form.
    private static func inASCII(_ domain: Substring) -> Substring? {
        guard !domain.allSatisfy(\.isASCII) else { return domain }
        var address = URLComponents()
        address.host = String(domain)
        guard let encoded = address.encodedHost?.lowercased()[...], isDomain(encoded) else { return nil }
        return encoded
    }

    /// RFC 5321 §4.5.3.1.3 with erratum 1690.
    private static let maximumLength = 254
    private static let maximumLocalPart = 64

    private static func isLocalPart(_ text: Substring) -> Bool {
        guard (1...maximumLocalPart).contains(text.utf8.count) else { return false }
        guard text.first != ".", text.last != ".", !text.contains("..") else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII ? localPartCharacters.contains(scalar) : scalar.isVisible
        }
    }

    /// An atom's characters and the dot (RFC 5322 §3.2.3); quoted local parts are refused.
    private static let localPartCharacters = Set(
        "abcdefghijklmnopqrstuvwxyz0123456789.!#$%&'*+-/=?^_`{|}~".unicodeScalars
    )

    private static func isDomain(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII ? labelCharacters.contains(scalar) : scalar.isVisible
        }
    }

    private static let labelCharacters = Set("abcdefghijklmnopqrstuvwxyz0123456789-".unicodeScalars)

    private static let tooLong = InvalidField(field: "email", code: .tooLong, message: "Has more than 254 bytes.")
    static let malformed = InvalidField(field: "email", code: .invalid, message: "Is no email address.")
}

extension EmailAddress: CustomStringConvertible, CustomReflectable {
    /// Personal, and so kept out of logs.
    package var description: String { "<email address>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Unicode.Scalar {
    /// Letters, marks, digits, symbols and punctuation: what one sees. No spaces, controls or invisible formatting.
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }
}
