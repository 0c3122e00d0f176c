/// What a text does where it is shown, by Unicode's properties of its characters: whether there is anything to be seen of it,
/// and whether it leaves alone what stands around it.
package enum Appearance {
    /// False of what holds nothing but white space, joiners and selectors, marks of direction, fillers, and accents without a
    /// letter to stand on. One character that is seen is enough, whatever joins or turns it.
    package static func shows(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: isSeen)
    }

    /// False of what holds a control character or an end of a line, which forge lines wherever names are listed, and of what
    /// embeds, overrides or isolates a direction: a name with one turns the text around it, or reads as another's. Marks that are
    /// a letter of their direction (U+200E, U+200F, U+061C) and joiners reach no further, and honest names need them.
    package static func keepsToItself(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            case .format: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
            default: true
            }
        }
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        // Most texts begin with one of these, and none of their properties needs looking up.
        if scalar.isASCII { return scalar > " " && scalar != "\u{7F}" }
        let properties = scalar.properties
        guard !properties.isWhitespace, !properties.isDefaultIgnorableCodePoint else { return false }
        return switch properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark: false
        case .format: signs.contains(scalar)
        default: !blanks.contains(scalar)
        }
    }

    /// Characters that format what follows them, and have ink of their own: Unicode's `Prepended_Concatenation_Mark`, such as
    /// the sign that ends a verse.
    private static let signs: Set<Unicode.Scalar> = [
        "\u{600}", "\u{601}", "\u{602}", "\u{603}", "\u{604}", "\u{605}", "\u{6DD}", "\u{70F}", "\u{890}", "\u{891}",
        "\u{8E2}", "\u{110BD}", "\u{110CD}",
    ]

    /// Characters that are symbols and letters by their properties, and have no ink: the pattern of Braille without a dot,
    /// the notehead of music that is null, and two blanks among the hieroglyphs.
    private static let blanks: Set<Unicode.Scalar> = ["\u{2800}", "\u{1D159}", "\u{13441}", "\u{13442}"]
}
