import Testing

@testable import Confusables

struct AppearanceTests {
    @Test(arguments: [
        ("nothing", ""), ("white space", " \t\n\u{A0}\u{2003}\u{3000}\u{2028}\u{85}"),
        ("controls", "\u{1}\u{7F}\u{9B}"),
        ("what has no width", "\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}\u{180E}"), ("a soft hyphen", "\u{AD}"),
        ("marks of direction", "\u{200E}\u{200F}\u{61C}"),
        ("embeddings and overrides", "\u{202A}\u{202B}\u{202D}\u{202E}\u{202C}"),
        ("isolates", "\u{2066}\u{2067}\u{2068}\u{2069}"),
        ("invisible signs of mathematics", "\u{2061}\u{2062}\u{2063}\u{2064}"),
        ("selectors of variants", "\u{FE0E}\u{FE0F}\u{E0100}\u{180B}"),
        ("tags", "\u{E0061}\u{E007F}"),
        ("fillers of Hangul", "\u{3164}\u{115F}\u{1160}\u{FFA0}"), ("a joiner of graphemes", "\u{34F}"),
        ("accents", "\u{301}\u{308}\u{20DD}"), ("an accent on a space", " \u{301}"),
        ("vowels of Hebrew", "\u{5B0}\u{5B8}"),
        ("anchors of annotations", "\u{FFF9}\u{FFFA}\u{FFFB}"),
        ("Braille without dots", "\u{2800}\u{2800}"),
        ("a null notehead", "\u{1D159}"), ("blank hieroglyphs", "\u{13441}\u{13442}"),
        ("several of them", "\u{2067} \u{3164}\u{FE0F}\u{2800}\u{2069}"),
    ])
    func `a text of these alone shows nothing`(kind: String, text: String) {
        #expect(!Appearance.shows(text), "\(kind)")
    }

    @Test(arguments: [
        ("a letter", "a"), ("a full stop", "."), ("a letter after much else", "\u{200B} \n\u{3164}a"),
        ("a family of joined emoji", "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}"),
        ("a heart", "\u{2764}\u{FE0F}"),
        ("a colour of skin", "\u{1F44D}\u{1F3FD}"), ("a key", "1\u{FE0F}\u{20E3}"),
        ("a flag", "\u{1F1E9}\u{1F1EA}"),
        ("a flag of tags", "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"),
        ("Hebrew with vowels", "\u{5E9}\u{5C1}\u{5B8}\u{5DC}\u{5D5}\u{5B9}\u{5DD}"),
        ("Arabic between marks", "\u{200F}\u{645}\u{64E}\u{631}\u{62D}\u{628}\u{627}\u{200F}"),
        ("Persian with a joiner", "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}"),
        ("an isolated name", "\u{2068}\u{5D0}\u{5D3}\u{5D4}\u{2069}"), ("a letter of two", "e\u{301}"),
        ("Devanagari", "\u{928}\u{92E}\u{938}\u{94D}\u{924}\u{947}"), ("a vowel that takes room", "\u{93E}"),
        ("Korean", "\u{1112}\u{1161}\u{11AB}"), ("Chinese", "\u{4F60}\u{597D}"), ("Braille", "\u{2801}"),
        ("the end of a verse", "\u{6DD}"), ("a number sign of Arabic", "\u{600}"), ("one of Kaithi", "\u{110BD}"),
        ("what this version does not know", "\u{E000}"),
    ])
    func `a text with one of these is seen`(kind: String, text: String) {
        #expect(Appearance.shows(text), "\(kind)")
    }

    @Test(arguments: [
        ("a line end", "a\nb"), ("an escape", "a\u{1B}[31mb"), ("a separator of lines", "a\u{2028}b"),
        ("one of paragraphs", "a\u{2029}b"), ("an embedding", "a\u{202A}b"), ("one to the left", "a\u{202B}b"),
        ("the end of one", "a\u{202C}b"), ("an override", "a\u{202D}b"), ("one to the left", "a\u{202E}b"),
        ("an isolate", "a\u{2066}b"), ("one to the left", "a\u{2067}b"), ("one by its first letter", "a\u{2068}b"),
        ("the end of one", "a\u{2069}b"),
    ])
    func `a text with one of these reaches beyond itself`(kind: String, text: String) {
        #expect(!Appearance.keepsToItself(text), "\(kind)")
    }

    @Test(arguments: [
        ("nothing", ""), ("two words", "Ada L"), ("marks of direction", "\u{200F}\u{645}\u{200E}\u{61C}"),
        ("joiners", "\u{645}\u{200C}\u{62E}\u{200D}"), ("what stands beside the marks", "\u{202F}\u{2065}\u{206A}"),
    ])
    func `a text of these keeps to itself`(kind: String, text: String) {
        #expect(Appearance.keepsToItself(text), "\(kind)")
    }
}
