import Messaging
import Testing

@Suite struct `An emoji` {
    @Test(arguments: [
        "\u{1F44D}", "\u{1F44D}\u{1F3FD}", "\u{2764}\u{FE0F}", "1\u{FE0F}\u{20E3}", "\u{1F1EB}\u{1F1F7}",
        "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "\u{1F469}\u{1F3FD}\u{200D}\u{2764}\u{FE0F}\u{200D}\u{1F48B}\u{200D}\u{1F468}\u{1F3FF}", "\u{1FAE8}",
    ])
    func `is one sequence, as it is`(_ text: String) {
        #expect(Emoji(text)?.text == text)
    }

    @Test(arguments: [
        ("\u{2764}", "\u{2764}\u{FE0F}"), ("\u{1F44D}\u{FE0F}", "\u{1F44D}"), ("#\u{20E3}", "#\u{FE0F}\u{20E3}"),
        ("\u{1F3F3}\u{200D}\u{1F308}", "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}"),
        ("\u{261D}\u{1F3FD}", "\u{261D}\u{1F3FD}"),
    ])
    func `is spelled in one way only`(_ text: String, _ qualified: String) {
        #expect(Emoji(text)?.text == qualified)
        #expect(Emoji(text) == Emoji(qualified))
    }

    @Test(arguments: [
        "", "a", "1", "#", "ok", "\u{1F44D}\u{1F44D}", "\u{1F44D} ", "\u{200D}", "\u{1F469}\u{200D}", "\u{FE0F}",
        "\u{1F1EB}", "\u{1F1EB}\u{1F1F7}\u{1F1EB}", "\u{20E3}", "\u{1F3F4}\u{E0067}", "\u{1F44D}\u{0301}", "\u{0}",
        "\u{1F44D}\u{FE0E}", "\u{202E}\u{1F44D}", "<b>", "\u{1F469}\u{200D}\u{200D}\u{1F469}",
    ])
    func `is not other text, nor several`(_ text: String) {
        #expect(Emoji(text) == nil)
    }

    @Test func `is not longer than any there is`() {
        let family = Array(repeating: "\u{1F469}\u{1F3FD}", count: 40).joined(separator: "\u{200D}")
        #expect(Emoji(family) == nil)
    }
}
