import Confusables
import Foundation

/// Names that nobody may bear, since others would take their bearer for somebody who runs the server, or for everybody.
package struct ReservedNames: Sendable {
    package static let standard = [
        "admin", "administrator", "all", "everyone", "here", "moderator", "parley", "support", "system",
    ]

    /// What the names look like: in small letters, in capitals, and with a capital first.
    private let appearances: Set<String>
    private let letters: Set<String>
    private let dotless: Set<String>

    /// - Parameter more: names besides the standard ones.
    package init(adding more: [String] = []) {
        let names = Self.standard + more
        appearances = Set(
            names.flatMap { [$0.lowercased(), $0.uppercased(), $0.lowercased().capitalizingFirst] }.map(Self.appearance)
        )
        letters = Set(names.map { Self.signs(of: NameSkeleton($0).letters) })
        dotless = Set(names.map(Self.dotless))
    }

    /// Whether a name is taken for one of these, with whatever signs around it: `@all`, `Аdmin` with a Cyrillic А, `adm1n`.
    package func contains(_ name: String) -> Bool {
        if letters.contains(Self.signs(of: NameSkeleton(name).letters)) { return true }
        if appearances.contains(Self.appearance(of: name)) { return true }
        // An i passes for an l only among characters that are not what they seem: Ali is not all.
        return !Self.isPlain(name) && dotless.contains(Self.dotless(name))
    }

    private static func isPlain(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || !Skeleton.replaces(scalar))
        }
    }

    private static func appearance(of name: String) -> String {
        signs(of: Skeleton.skeleton(of: name.decomposedStringWithCompatibilityMapping))
    }

    private static func dotless(_ name: String) -> String {
        signs(of: NameSkeleton(name).appearance).replacing("i", with: "l")
    }

    /// What is left without spaces and punctuation.
    private static func signs(of text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter(\.isSign)))
    }
}

extension Unicode.Scalar {
    fileprivate var isSign: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            true
        default: false
        }
    }
}

extension String {
    fileprivate var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
