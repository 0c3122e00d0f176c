import Foundation

/// What two names are compared by. They are alike where they look alike or have the same letters, whatever the case.
///
/// It takes both: a capital I looks like a small l and reads as a small i.
package struct NameSkeleton: Hashable, Sendable {
    /// What the eye sees: a Greek or Cyrillic capital is the Latin one that it looks like.
    package let appearance: String
    /// What is written: the capitals of any script are their small letters.
    package let letters: String

    package init(_ name: String) {
        // Unicode's data leaves out most of what is the same character in another width, style or place.
        let name = name.decomposedStringWithCompatibilityMapping
        // What looks like a capital may not look like its small letter: first the appearance, then the case, and again.
        appearance = Self.spaced(Self.folded(Skeleton.skeleton(of: Self.folded(Skeleton.skeleton(of: name)))))
        letters = Self.spaced(Self.folded(Skeleton.skeleton(of: Self.folded(name))))
    }

    package func isAlike(_ other: NameSkeleton) -> Bool {
        appearance == other.appearance || letters == other.letters
    }

    /// Without regard to case, in all scripts and whatever the locale.
    private static func folded(_ text: String) -> String {
        text.uppercased().lowercased()
    }

    /// One character may become dozens, and an index holds no more than fits on a third of a page.
    private static let longest = 128

    /// Pages show several spaces as one.
    private static func spaced(_ text: String) -> String {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(text.unicodeScalars.prefix(longest))
    }
}
