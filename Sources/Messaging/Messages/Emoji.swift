/// One emoji, as a person sees it: a character, or several that are shown as one.
///
/// What is one is decided by the grammar of sequences (UTS #51, ED-17), not by a list: an emoji that a newer version of
/// Unicode joins of known ones is taken, too. Equal emoji are equal text: whether the picture or the text form was meant is
/// always spelled out where it is not the default (the standard's *fully-qualified* form).
package struct Emoji: Sendable, Hashable {
    package let text: String

    /// A family of six with skin tones has 17.
    private static let maxScalars = 32

    /// nil where the text is not exactly one emoji.
    package init?(_ text: String) {
        let scalars = Array(text.unicodeScalars.prefix(Self.maxScalars + 1))
        guard !scalars.isEmpty, scalars.count <= Self.maxScalars else { return nil }
        var reader = SequenceReader(rest: scalars[...])
        guard let qualified = reader.sequence(), reader.rest.isEmpty else { return nil }
        self.text = qualified
    }
}

extension Emoji: Codable, CodingKeyRepresentable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let emoji = Emoji(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not one emoji"))
        }
        self = emoji
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package var codingKey: any CodingKey { Key(stringValue: text) }

    package init?<Name: CodingKey>(codingKey: Name) {
        self.init(codingKey.stringValue)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }
}

/// Reads a sequence from the front, and writes its fully-qualified form.
private struct SequenceReader {
    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let pictureForm: Unicode.Scalar = "\u{FE0F}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"
    private static let tags: ClosedRange<UInt32> = 0xE0020...0xE007E
    private static let endOfTags: UInt32 = 0xE007F
    private static let regionalIndicators: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

    var rest: ArraySlice<Unicode.Scalar>

    /// Elements, joined; or a flag, or a keycap, which stand alone.
    mutating func sequence() -> String? {
        if let alone = flag() ?? keycap() { return alone }
        guard var text = element() else { return nil }
        while skip(Self.joiner) {
            guard let next = element() else { return nil }
            text.unicodeScalars.append(Self.joiner)
            text += next
        }
        return text
    }

    private mutating func flag() -> String? {
        let pair = rest.prefix(2)
        guard pair.count == 2, pair.allSatisfy({ Self.regionalIndicators.contains($0.value) }) else { return nil }
        rest = rest.dropFirst(2)
        return Self.text(pair)
    }

    private mutating func keycap() -> String? {
        guard let key = rest.first, key.isASCII, key.properties.isEmoji else { return nil }
        rest = rest.dropFirst()
        _ = skip(Self.pictureForm)
        guard skip(Self.keycap) else { return nil }
        return Self.text([key, Self.pictureForm, Self.keycap])
    }

    /// A character with a skin tone, in the form of a picture, or with the tags of a region's flag.
    private mutating func element() -> String? {
        guard let base = rest.first, base.properties.isEmoji, !base.isASCII,
            !Self.regionalIndicators.contains(base.value)
        else { return nil }
        rest = rest.dropFirst()
        var scalars = [base]
        if base.properties.isEmojiModifierBase, let tone = rest.first, tone.properties.isEmojiModifier {
            rest = rest.dropFirst()
            scalars.append(tone)
        } else {
            _ = skip(Self.pictureForm)
            if !base.properties.isEmojiPresentation { scalars.append(Self.pictureForm) }
        }
        let tags = rest.prefix { Self.tags.contains($0.value) }
        if !tags.isEmpty {
            rest = rest.dropFirst(tags.count)
            guard let end = rest.first, end.value == Self.endOfTags else { return nil }
            rest = rest.dropFirst()
            scalars += tags + [end]
        }
        return Self.text(scalars)
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
